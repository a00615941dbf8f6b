//! Checksums and encodings inside keys.

/// Whether the last six characters of a token are the CRC-32 of what stands between its mark and them, in base 62.
///
/// GitHub and npm build their tokens so: `<mark>_<30 characters><6 characters>`.
pub(crate) fn crc32_base62(token: &str) -> bool {
    let Some((_, body)) = token.split_once('_') else {
        return false;
    };
    let Some(split) = body.len().checked_sub(6).filter(|at| body.is_char_boundary(*at)) else {
        return false;
    };
    let (text, sum) = body.split_at(split);
    base62(crc32(text.as_bytes())) == sum.as_bytes()
}

/// CRC-32 with the polynomial of IEEE 802.3, bit by bit: the inputs are thirty bytes long.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                (sum >> 1) ^ 0xEDB8_8320
            } else {
                sum >> 1
            };
        }
    }
    !sum
}

/// Six digits of base 62, zeros in front.
pub(crate) fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut out = [b'0'; 6];
    for digit in out.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    out
}

/// The bytes behind base64 of either alphabet, with or without padding; `None` when it is not base64.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    if text.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xFF) as u8);
        }
    }
    Some(out)
}

/// Whether a value is a token for the role of those who have not signed in: pages carry it, and rules of the database guard what it opens.
pub(crate) fn is_for_everybody(value: &str) -> bool {
    if !value.starts_with("eyJ") {
        return false;
    }
    let payload = value.split('.').nth(1).and_then(base64).unwrap_or_default();
    let payload: String = String::from_utf8_lossy(&payload)
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    payload.contains("\"role\":\"anon\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_the_standard_check_string_is_right() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_token_with_its_own_sum_is_accepted_and_another_is_not() {
        let body = "wX3kQ9rT7mZ2pL5vB8nC4jH6gF1dS0";
        let sum = String::from_utf8(base62(crc32(body.as_bytes())).to_vec()).unwrap();
        assert!(crc32_base62(&format!("ghp_{body}{sum}")));
        assert!(!crc32_base62(&format!("ghp_{body}aaaaaa")));
    }

    #[test]
    fn base64_of_both_alphabets_is_read() {
        assert_eq!(base64("aGk_Pw").as_deref(), Some(&b"hi??"[..]));
        assert_eq!(base64("aGk/Pw==").as_deref(), Some(&b"hi??"[..]));
        assert_eq!(base64("a b"), None);
    }
}
