"""What several verbs need: options, outcomes, colours, tables, and where projects and logs are."""
