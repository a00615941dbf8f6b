//! Bytes that are read piece by piece, so that a file of any length costs only what is looked at.

/// Gives ranges of a file. Who implements it owns the disk; who uses it opens nothing.
pub trait ReadAt {
    /// The length in bytes, as known when the file was opened.
    fn length(&self) -> u64;

    /// Reads from `offset` into `buffer` and gives the number of bytes read: fewer than asked at the end of the file, and
    /// none past it or when the disk fails. A file that shrinks while it is read ends early.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize;
}

impl ReadAt for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        let rest = rest.unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }
}

impl ReadAt for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        self.as_slice().read_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_where_the_bytes_end() {
        let bytes: &[u8] = b"abcdef";
        let mut buffer = [0; 4];
        assert_eq!(bytes.read_at(4, &mut buffer), 2);
        assert_eq!(&buffer[..2], b"ef");
        assert_eq!(bytes.read_at(7, &mut buffer), 0);
        assert_eq!(bytes.read_at(u64::MAX, &mut buffer), 0);
    }
}
