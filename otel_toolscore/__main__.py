"""`python -m otel_toolscore`: the command line."""

from otel_toolscore.cli import main

if __name__ == "__main__":
    main()
