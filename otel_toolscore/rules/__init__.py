"""What a rule says of calls: patterns, constraints, and the judges that `table.RULES` names for each."""
