"""Writes the names and bytes of the files in a zip file as JSON."""

import json
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    json.dump([[name, list(archive.read(name))] for name in archive.namelist()], sys.stdout)
