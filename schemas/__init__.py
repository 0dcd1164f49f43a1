"""What a row is: models, locales, formats, errors. Imports nothing else of blend."""
