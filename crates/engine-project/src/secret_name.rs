//! Which file names tell that a file holds secrets.

/// Endings of private keys and key stores.
const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
    ".tfvars",
    ".env",
];

/// Whole names of files that hold keys, passwords or tokens.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "kubeconfig",
    "service-account.json",
    "service_account.json",
    "serviceaccount.json",
];

/// Stems that name secrets, whatever the data format.
const STEMS: &[&str] = &[
    "credentials",
    "credential",
    "secrets",
    "secret",
    ".credentials",
    ".secrets",
];

/// Data formats in which the stems above count; a `secrets.py` is code.
const DATA_ENDINGS: &[&str] = &[
    "json",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "txt",
    "xml",
    "csv",
];

/// Whether a file of this name is expected to hold secrets. Only the last part of a path is looked at.
pub fn is_secret_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if NAMES.contains(&name.as_str()) || name.starts_with(".env.") {
        return true;
    }
    if ENDINGS
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
    {
        return true;
    }
    match name.rsplit_once('.') {
        Some((stem, ending)) if DATA_ENDINGS.contains(&ending) => STEMS.contains(&stem),
        _ => STEMS.contains(&name.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_code_and_public_keys() {
        for name in [
            ".env",
            "app/.env.local",
            "tls/server.key",
            "a.PEM",
            "id_rsa",
            "credentials.json",
            "secrets.yaml",
            "prod.env",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "env.py",
            "secrets.py",
            "id_rsa.pub",
            "keyboard.rs",
            "credentials.go",
            "README.md",
            "environment",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
