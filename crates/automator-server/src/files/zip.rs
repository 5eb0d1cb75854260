//! Files as one zip file. They are stored as they are: downloads are mostly compressed already.
//!
//! The format is that of PKWARE's APPNOTE, with names in UTF-8, and without its extension for more than 4 GiB.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use super::{FileEntry, SessionFiles};

/// Bytes that are read at a time.
const CHUNK: usize = 64 * 1024;

/// The version of the format that is needed to read it, and that names are in UTF-8.
const VERSION: u16 = 20;
const FLAGS: u16 = 1 << 11;

/// Midnight at the beginning of 1980, where the format's time begins: the times of downloads say little.
const DATE: u16 = (1 << 5) | 1;

/// A file that has been written.
struct Entry<'a> {
    name: &'a str,
    checksum: u32,
    size: u32,
    offset: u32,
}

/// Writes files of one kind into a file without a name, which is at its beginning then. One that has gone meanwhile is
/// left out. It blocks.
pub(crate) fn zip(files: &SessionFiles, kind: &str, entries: &[FileEntry]) -> io::Result<File> {
    let mut writer = BufWriter::new(tempfile::tempfile_in(&files.folder)?);
    let mut written = Vec::new();
    for entry in entries {
        let Some(path) = files.file(kind, &entry.name) else {
            continue;
        };
        written.push(add(&mut writer, &entry.name, &path)?);
    }
    let start = offset(&mut writer)?;
    for entry in &written {
        write_record(&mut writer, entry)?;
    }
    let size = offset(&mut writer)? - start;
    let count = u16::try_from(written.len()).map_err(|_| too_large())?;
    writer.write_all(b"PK\x05\x06")?;
    for number in [0, 0, count, count] {
        writer.write_all(&number.to_le_bytes())?;
    }
    writer.write_all(&size.to_le_bytes())?;
    writer.write_all(&start.to_le_bytes())?;
    writer.write_all(&0_u16.to_le_bytes())?;
    let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

fn add<'a>(writer: &mut BufWriter<File>, name: &'a str, path: &Path) -> io::Result<Entry<'a>> {
    let offset_of_header = offset(writer)?;
    let mut entry = Entry {
        name,
        checksum: 0,
        size: 0,
        offset: offset_of_header,
    };
    write_header(writer, &entry)?;
    let mut checksum = Checksum::new();
    let mut size: u64 = 0;
    let mut reader = BufReader::new(File::open(path)?);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = reader.read(&mut chunk)?;
        let Some(bytes) = chunk.get(..length).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        checksum.add(bytes);
        size += bytes.len() as u64;
        writer.write_all(bytes)?;
    }
    entry.checksum = checksum.end();
    entry.size = u32::try_from(size).map_err(|_| too_large())?;
    // Once more, now that both are known.
    writer.seek(SeekFrom::Start(u64::from(offset_of_header)))?;
    write_header(writer, &entry)?;
    writer.seek(SeekFrom::End(0))?;
    Ok(entry)
}

fn write_header(writer: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
    writer.write_all(b"PK\x03\x04")?;
    write_common(writer, entry)?;
    writer.write_all(entry.name.as_bytes())
}

fn write_record(writer: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
    writer.write_all(b"PK\x01\x02")?;
    writer.write_all(&VERSION.to_le_bytes())?;
    write_common(writer, entry)?;
    // No comment, the first disk, no attributes.
    writer.write_all(&[0; 10])?;
    writer.write_all(&entry.offset.to_le_bytes())?;
    writer.write_all(entry.name.as_bytes())
}

/// What a header and a record have both.
fn write_common(writer: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
    const STORED: u16 = 0;
    const TIME: u16 = 0;
    for number in [VERSION, FLAGS, STORED, TIME, DATE] {
        writer.write_all(&number.to_le_bytes())?;
    }
    for number in [entry.checksum, entry.size, entry.size] {
        writer.write_all(&number.to_le_bytes())?;
    }
    let length = u16::try_from(entry.name.len()).map_err(|_| too_large())?;
    writer.write_all(&length.to_le_bytes())?;
    writer.write_all(&0_u16.to_le_bytes())
}

fn offset(writer: &mut BufWriter<File>) -> io::Result<u32> {
    u32::try_from(writer.stream_position()?).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "the files are more than a zip file holds; fetch them one by one",
    )
}

/// CRC-32, as the format has it.
struct Checksum {
    table: [u32; 256],
    state: u32,
}

impl Checksum {
    fn new() -> Self {
        const POLYNOMIAL: u32 = 0xedb8_8320;
        let mut value = 0;
        let table = std::array::from_fn(|_| {
            let mut entry: u32 = value;
            value += 1;
            for _ in 0..8 {
                entry = if entry & 1 == 1 {
                    (entry >> 1) ^ POLYNOMIAL
                } else {
                    entry >> 1
                };
            }
            entry
        });
        Self { table, state: !0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let [low, ..] = self.state.to_le_bytes();
            self.state = self.table[usize::from(low ^ byte)] ^ (self.state >> 8);
        }
    }

    fn end(self) -> u32 {
        !self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_format() {
        let mut checksum = Checksum::new();
        checksum.add(b"12345");
        checksum.add(b"6789");
        assert_eq!(checksum.end(), 0xcbf4_3926);
    }
}
