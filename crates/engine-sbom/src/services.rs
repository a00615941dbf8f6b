//! Hosted model services and MCP servers, with the direction of the data.

use std::collections::{BTreeMap, BTreeSet};

use cyclonedx_bom::external_models::uri::Uri;
use cyclonedx_bom::models::organization::OrganizationalEntity;
use cyclonedx_bom::models::property::Properties;
use cyclonedx_bom::models::service::{Data, DataClassification, DataFlowType, Service};
use engine_model::{Inventory, Sends};

use crate::packages::{normalized, property};

pub(crate) const fn sends_name(sends: Sends) -> &'static str {
    match sends {
        Sends::UserInput => "user-input",
        Sends::File => "file",
        Sends::Database => "database",
        Sends::Constant => "constant",
        Sends::Unknown => "unknown",
    }
}

/// Whether a host is this machine or a private name.
fn is_local(host: &str) -> bool {
    let name = host.split("://").last().unwrap_or(host);
    let name = name.split(['/', '?']).next().unwrap_or(name);
    let name = name.strip_prefix('[').map_or_else(
        || name.split(':').next().unwrap_or(name),
        |rest| rest.split(']').next().unwrap_or(rest),
    );
    matches!(name, "localhost" | "0.0.0.0" | "::1" | "host.docker.internal")
        || name.starts_with("127.")
        || matches!(name.rsplit_once('.'), Some((_, "local" | "internal" | "localhost")))
}

fn endpoint(host: &str) -> String {
    if host.contains("://") {
        host.to_owned()
    } else if is_local(host) {
        format!("http://{host}")
    } else {
        format!("https://{host}")
    }
}

/// Whether a text can stand where an address is asked for.
fn is_address(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!&'()*+,;=%".contains(&byte))
}

/// Requests go to a service and answers come back, so data flows both ways.
fn flows(kinds: &BTreeSet<&str>) -> Data {
    let list = kinds.iter().map(|kind| DataClassification {
        flow: DataFlowType::BiDirectional,
        classification: normalized(kind),
    });
    Data::Classification(list.collect())
}

pub(crate) fn services(inventory: &Inventory) -> Vec<Service> {
    let mut grouped: BTreeMap<(&str, Option<&str>), BTreeSet<&str>> = BTreeMap::new();
    for service in &inventory.services {
        let places = grouped.entry((&service.provider, service.host.as_deref())).or_default();
        places.extend(service.occurrences.iter().map(String::as_str));
    }
    let mut out = Vec::new();
    for ((provider, host), places) in grouped {
        let reference = format!("service:{provider}/{}", host.unwrap_or("default"));
        let mut service = Service::new(host.unwrap_or(provider), Some(reference));
        service.provider = Some(OrganizationalEntity::new(provider));
        service.endpoints = host
            .map(endpoint)
            .filter(|text| is_address(text))
            .map(|text| vec![Uri::new(&text)]);
        let local = provider == "local" || host.is_some_and(is_local);
        service.x_trust_boundary = Some(!local);
        let mut kinds: BTreeSet<&str> = inventory
            .calls
            .iter()
            .filter(|call| {
                call.provider.as_deref() == Some(provider) && (call.host.is_none() || call.host.as_deref() == host)
            })
            .flat_map(|call| call.sends.iter().map(|sends| sends_name(*sends)))
            .collect();
        if kinds.is_empty() {
            kinds.insert("unknown");
        }
        service.data = Some(flows(&kinds));
        let listed = places
            .iter()
            .map(|place| property("occurrence", place))
            .collect::<Vec<_>>();
        service.properties = (!listed.is_empty()).then_some(Properties(listed));
        out.push(service);
    }
    let mut servers: Vec<_> = inventory.mcp_servers.iter().collect();
    servers.sort_by(|a, b| (&a.name, &a.file, a.line).cmp(&(&b.name, &b.file, b.line)));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for server in servers {
        let reference = format!("mcp:{}:{}#{}", server.file, server.line, server.name);
        if !taken.insert(reference.clone()) {
            continue;
        }
        let mut service = Service::new(&server.name, Some(reference));
        service.group = Some(normalized("mcp"));
        let target = server.target.as_deref();
        let address = target.filter(|target| target.contains("://") && is_address(target));
        service.endpoints = address.map(|target| vec![Uri::new(target)]);
        service.x_trust_boundary = Some(address.is_some_and(|target| !is_local(target)));
        service.data = Some(flows(&BTreeSet::from(["unknown"])));
        let place = format!("{}:{}", server.file, server.line);
        let mut properties = vec![property("occurrence", &place), property("transport", &server.transport)];
        if let Some(target) = target.filter(|_| address.is_none()) {
            properties.push(property("command", target));
        }
        service.properties = Some(Properties(properties));
        out.push(service);
    }
    out
}
