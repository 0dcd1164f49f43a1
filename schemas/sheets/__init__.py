"""Sheets that people fill in with a spreadsheet, and how a cell survives one."""
