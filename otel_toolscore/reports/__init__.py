"""Reports: a scored document as text for people or for programs, one module a format."""
