"""The recipe of a release: sources, options, domains of Wikidata, licences."""
