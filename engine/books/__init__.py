"""Opening books: data files, each made by a script in tools/ and read by the module that names it."""
