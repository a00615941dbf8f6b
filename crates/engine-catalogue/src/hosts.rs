//! Hosts that answer model requests, and request paths that give a protocol away.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, MatchKind};
use serde::{Deserialize, Serialize};

use crate::{Origin, PersonTrait, glob};

/// A host name has at most 253 bytes; anything longer is not looked up.
const HOST_BYTES_MAX: usize = 512;

/// What a host does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostKind {
    /// The interface of the organisation that makes the models.
    Api,
    /// Passes requests on to models of several providers.
    Gateway,
    /// Runs models of others, or models of the customer.
    HostedInference,
    /// A model server on the own machine or network.
    Local,
    /// Receives traces of model calls, not the calls.
    Telemetry,
}

/// A host, or a family of hosts, that model requests go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The name; a leading `*.` stands for one or more labels, any other `*` for text without a dot.
    pub host: String,
    /// The port, when only this port is meant.
    pub port: Option<u16>,
    /// Who runs the host.
    pub provider: String,
    /// What the host does with a request.
    pub kind: HostKind,
    /// Path fragments that make a request to this host a model call; empty when every request is one.
    pub paths: Vec<String>,
    /// Whether the host or port alone proves nothing, so that a path with a known shape must accompany it.
    pub needs_path: bool,
    /// What the host reads from people, when that is its purpose.
    pub reads: Vec<PersonTrait>,
    /// A remark for readers of the data.
    pub note: Option<String>,
    /// A further spelling that must be found.
    pub example: Option<String>,
    /// A URL that must not be taken for this host.
    pub not_example: Option<String>,
}

impl Host {
    /// Whether a request to `path` on this host uses a model, as opposed to listing or managing something.
    pub fn is_model_path(&self, path: &str) -> bool {
        if self.kind == HostKind::Telemetry {
            return false;
        }
        if self.paths.is_empty() {
            return !self.needs_path;
        }
        // A port of the own machine is many a server's: only the paths themselves tell, and no longer path that holds one.
        let whole =
            |fragment: &str| self.kind != HostKind::Local || fragment.starts_with(':') || path.starts_with(fragment);
        self.paths
            .iter()
            .any(|fragment| whole(fragment) && contains_fragment(path, fragment))
    }
}

/// A request path fragment that identifies a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathShape {
    /// The fragment, starting with `/` or `:`.
    pub path: String,
    /// Whose protocol it is; `openai-compatible` when many servers speak it.
    pub provider: String,
    /// Whether the fragment alone is proof; a weak one needs the header, a host or a body beside it.
    pub strong: bool,
    /// A request header that turns a weak fragment into proof.
    pub header: Option<String>,
    /// A remark for readers of the data.
    pub note: Option<String>,
}

/// What a URL addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTarget<'a> {
    /// Who answers: the provider of the host if it is known, else the provider of the path shape.
    pub provider: &'a str,
    /// The host, when the catalogue knows it.
    pub host: Option<&'a Host>,
    /// The protocol the path gives away, when it does.
    pub shape: Option<&'a PathShape>,
    /// Whether the URL alone proves a model call.
    pub model_call: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostFile {
    source: String,
    as_of: String,
    host: Vec<HostRow>,
    path_shape: Vec<PathShape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostRow {
    host: String,
    port: Option<u16>,
    provider: String,
    kind: HostKind,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    needs_path: bool,
    #[serde(default)]
    reads: Vec<PersonTrait>,
    note: Option<String>,
    example: Option<String>,
    not_example: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Hosts {
    origin: Origin,
    rows: Vec<Host>,
    shapes: Vec<PathShape>,
    /// Rows without a star, by name and port.
    exact: HashMap<(String, Option<u16>), usize>,
    /// Rows with a star, the longest pattern first.
    patterns: Vec<usize>,
    /// Local servers by port; they are found under every name a machine has for itself and its neighbours.
    local_ports: HashMap<u16, usize>,
    shape_search: AhoCorasick,
}

impl Hosts {
    #[expect(
        clippy::expect_used,
        reason = "the fragments are embedded data and a test builds the automaton"
    )]
    pub(crate) fn load() -> Self {
        let file: HostFile = crate::parse("hosts.toml", engine_embed::embed!("../data/hosts.toml"));
        let origin = Origin {
            file: "hosts.toml",
            source: file.source,
            as_of: file.as_of,
        };
        let rows: Vec<Host> = file
            .host
            .into_iter()
            .map(|row| Host {
                host: row.host,
                port: row.port,
                provider: row.provider,
                kind: row.kind,
                paths: row.paths,
                needs_path: row.needs_path,
                reads: row.reads,
                note: row.note,
                example: row.example,
                not_example: row.not_example,
            })
            .collect();
        let mut exact = HashMap::new();
        let mut patterns = Vec::new();
        let mut local_ports = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            match row.port {
                Some(port) if row.host == "localhost" => {
                    local_ports.entry(port).or_insert(index);
                }
                _ if row.host.contains('*') => patterns.push(index),
                port => {
                    exact.entry((row.host.clone(), port)).or_insert(index);
                }
            }
        }
        patterns.sort_by_key(|&index| (std::cmp::Reverse(rows[index].host.len()), index));
        let shape_search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(file.path_shape.iter().map(|shape| &shape.path))
            .expect("the path fragments fit into one automaton");
        Self {
            origin,
            rows,
            shapes: file.path_shape,
            exact,
            patterns,
            local_ports,
            shape_search,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn rows(&self) -> &[Host] {
        &self.rows
    }

    pub(crate) fn shapes(&self) -> &[PathShape] {
        &self.shapes
    }

    pub(crate) fn host(&self, authority: &str) -> Option<&Host> {
        let url = plain(authority);
        let (name, port) = name_and_port(split_url(&url).0)?;
        self.by_name_and_port(&name, port)
    }

    fn by_name_and_port(&self, name: &str, port: Option<u16>) -> Option<&Host> {
        let found = self
            .exact
            .get(&(name.to_owned(), port))
            .or_else(|| self.exact.get(&(name.to_owned(), None)))
            .or_else(|| {
                self.patterns
                    .iter()
                    .find(|&&index| matches_host(&self.rows[index].host, name))
            })
            .or_else(|| {
                port.filter(|_| is_local_name(name))
                    .and_then(|port| self.local_ports.get(&port))
            })?;
        Some(&self.rows[*found])
    }

    pub(crate) fn path_shape(&self, path: &str) -> Option<&PathShape> {
        let path = path.split(['?', '#']).next().unwrap_or(path);
        self.shape_search
            .find_overlapping_iter(path)
            .filter(|hit| is_fragment_end(path, hit.end()))
            .map(|hit| &self.shapes[hit.pattern().as_usize()])
            .max_by_key(|shape| shape.path.len())
    }

    pub(crate) fn request(&self, url: &str) -> Option<RequestTarget<'_>> {
        let url = plain(url);
        let (authority, path) = split_url(&url);
        let host = name_and_port(authority).and_then(|(name, port)| self.by_name_and_port(&name, port));
        let shape = self.path_shape(path);
        let path_only = path.split(['?', '#']).next().unwrap_or(path);
        let strong = shape.is_some_and(|shape| shape.strong);
        match (host, shape) {
            (None, None) => None,
            (None, Some(shape)) => Some(RequestTarget {
                provider: &shape.provider,
                host,
                shape: Some(shape),
                model_call: strong,
            }),
            (Some(host), shape) => {
                if host.needs_path && !host.is_model_path(path_only) && !strong {
                    return None;
                }
                let model_call = host.is_model_path(path_only) || (strong && host.kind != HostKind::Telemetry);
                // A port that several servers share says less than a path that only one of them has.
                let shared = host.kind == HostKind::Local && host.needs_path;
                let provider = match shape {
                    Some(shape) if shared && shape.strong && shape.provider != "openai-compatible" => &shape.provider,
                    _ => &host.provider,
                };
                Some(RequestTarget {
                    provider,
                    host: Some(host),
                    shape,
                    model_call,
                })
            }
        }
    }

    /// The same without the hosts that need a path of their own beside them.
    pub(crate) fn telling_literals(&self) -> Vec<String> {
        let general: Vec<String> = self.general_literals().into_iter().map(|(piece, _)| piece).collect();
        let mut literals = self.literals();
        literals.retain(|literal| !general.contains(literal));
        literals
    }

    /// The pieces of hosts that say nothing by themselves, with what has to stand beside them: a path of their own, or the name of the service
    /// in front of a domain that many services share (`polly` of `polly.*.amazonaws.com`).
    pub(crate) fn general_literals(&self) -> Vec<(String, Vec<String>)> {
        let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.host != "localhost") {
            let Some(piece) = longest_piece(&row.host) else {
                continue;
            };
            if row.needs_path {
                out.entry(piece).or_default().extend(row.paths.iter().cloned());
            } else if let Some((service, region)) = row.host.split_once('*')
                && region.to_ascii_lowercase() == piece
                && !service.is_empty()
            {
                out.entry(piece)
                    .or_default()
                    .push(service.trim_end_matches('.').to_ascii_lowercase());
            }
        }
        out.into_iter().collect()
    }

    /// The longest plain piece of every host and all path fragments, in lower case.
    pub(crate) fn literals(&self) -> Vec<String> {
        let mut literals = Vec::new();
        for row in &self.rows {
            if row.host == "localhost" {
                // A port that proves nothing is found through its paths.
                if let Some(port) = row.port.filter(|_| !row.needs_path) {
                    literals.push(port.to_string());
                }
            } else if let Some(piece) = longest_piece(&row.host) {
                literals.push(piece);
            }
        }
        for shape in &self.shapes {
            let path = shape.path.to_ascii_lowercase();
            // Behind a base address that ends in a slash a path is written without one.
            if let Some(bare) = path
                .strip_prefix('/')
                .filter(|bare| bare.trim_end_matches('/').contains('/'))
            {
                literals.push(bare.to_owned());
            }
            literals.push(path);
        }
        literals
    }
}

/// The longest plain piece of the pattern of a host, in lower case.
fn longest_piece(host: &str) -> Option<String> {
    let piece = host.split('*').max_by_key(|piece| piece.len())?;
    Some(piece.to_ascii_lowercase())
}

/// Writes every interpolation (`{x}`, `${x}`, `#{x}`) as `{}`, because its inside may hold any character.
fn plain(url: &str) -> String {
    let mut plain = String::with_capacity(url.len());
    let mut depth = 0_usize;
    for character in url.trim().chars() {
        match character {
            '{' => {
                if depth == 0 {
                    if plain.ends_with(['$', '#']) {
                        plain.pop();
                    }
                    plain.push('{');
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    plain.push('}');
                }
            }
            _ if depth > 0 => {}
            // Clients read a backslash as a slash, so it must not hide where the host ends.
            '\\' => plain.push('/'),
            _ => plain.push(character),
        }
    }
    plain
}

/// Splits a URL, authority or path into authority and path; a text that starts with one slash is a path alone.
fn split_url(url: &str) -> (&str, &str) {
    let rest = match url.find("://") {
        // Only a scheme may stand before `://`; otherwise it is part of a path or query.
        Some(at)
            if url[..at]
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.{}".contains(&byte)) =>
        {
            &url[at + 3..]
        }
        _ => match url.strip_prefix("//") {
            Some(rest) => rest,
            None if url.starts_with('/') => return ("", url),
            None => url,
        },
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest.split_at(end)
}

fn name_and_port(authority: &str) -> Option<(String, Option<u16>)> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.is_empty() || host.len() > HOST_BYTES_MAX {
        return None;
    }
    let (name, port) = if let Some(rest) = host.strip_prefix('[') {
        let (name, after) = rest.split_once(']')?;
        (name, after.strip_prefix(':'))
    } else {
        match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        }
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    Some((name, port.and_then(|port| port.parse().ok())))
}

fn matches_host(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(rest) if !rest.contains('*') => name
            .strip_suffix(rest)
            .and_then(|labels| labels.strip_suffix('.'))
            .is_some_and(|labels| !labels.is_empty()),
        _ => glob::matches(pattern, name, |byte| byte != b'.'),
    }
}

/// Names a machine has for itself, for a container beside it, or for a neighbour in a private network.
fn is_local_name(name: &str) -> bool {
    if let Ok(address) = name.parse::<std::net::Ipv4Addr>() {
        return address.is_loopback() || address.is_private() || address.is_unspecified();
    }
    if let Ok(address) = name.parse::<std::net::Ipv6Addr>() {
        return address.is_loopback() || address.is_unspecified() || address.is_unique_local();
    }
    !name.contains('.')
        || [".local", ".internal", ".localhost", ".lan"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
}

fn contains_fragment(path: &str, fragment: &str) -> bool {
    path.match_indices(fragment)
        .any(|(at, _)| is_fragment_end(path, at + fragment.len()))
}

/// A fragment ends where a segment does, unless it was written with an open end (`/deployments/`, `/model/meta.`).
fn is_fragment_end(path: &str, end: usize) -> bool {
    let bytes = path.as_bytes();
    let open = end > 0 && matches!(bytes[end - 1], b'/' | b':' | b'.');
    open || bytes
        .get(end)
        .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'))
}
