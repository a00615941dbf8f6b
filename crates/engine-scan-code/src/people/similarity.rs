//! Documents that are compared with requirements only by the similarity of their embeddings.

use std::collections::BTreeMap;

use engine_model::{CallKind, Zone};

use super::call_inputs::{Carrier, Item};
use super::callers::Called;
use super::{Hit, hits_of};
use crate::calls::Found;
use crate::facts::callee_name;
use crate::memo::{Home, home};
use crate::values::ExprRef;
use crate::world::World;

/// Names of functions that tell how alike two embeddings are.
const ALIKE: [&str; 9] = [
    "cosine_similarity",
    "cos_sim",
    "pytorch_cos_sim",
    "cosineSimilarity",
    "cosine",
    "dot_score",
    "semantic_search",
    "cosine_distance",
    "CosineSimilarity",
];

/// Methods that give the embedding of a text.
const EMBEDS: [&str; 12] = [
    "encode",
    "embed",
    "embed_query",
    "embed_documents",
    "embedQuery",
    "embedDocuments",
    "embedContent",
    "embed_content",
    "get_text_embedding",
    "feature_extraction",
    "featureExtraction",
    "embeddings",
];

/// Whether a call gives the embedding of what it is sent: numbers, which judge nobody by themselves.
pub(super) fn is_embedding(record: &Found) -> bool {
    record.path.last_name().is_some_and(|name| EMBEDS.contains(&name))
        || record.path.last_name() == Some("create") && record.path.has_name("embeddings")
}

/// Calls that embed a paper and what it is held against one after the other, in one function that then compares the two.
pub(super) fn hits(
    world: &World<'_>,
    (carrier, called): (&Carrier<'_, '_, '_>, &Called),
    found: &[Found],
    known: &BTreeMap<usize, (Vec<Item>, Vec<Hit>)>,
) -> Vec<(usize, Vec<Item>, Vec<Hit>)> {
    let mut together: BTreeMap<Home, Vec<usize>> = BTreeMap::new();
    for (at, record) in found.iter().enumerate() {
        let product = record.call.kind == CallKind::Call && record.call.zone == Zone::Product;
        if is_embedding(record) && product && !known.contains_key(&at) {
            let place = home(record.at.0, world.named_function_of(record.at));
            together.entry(place).or_default().push(at);
        }
    }
    let mut out = Vec::new();
    for ((unit, function), calls) in together.into_iter().filter(|(_, calls)| calls.len() > 1) {
        let index = world.index(unit);
        let compares = index.calls.iter().any(|call| {
            index.named_function_of(*call) == function && ALIKE.contains(&callee_name(world, ExprRef(unit, *call)))
        });
        if !compares {
            continue;
        }
        let items: Vec<Item> = calls.iter().flat_map(|call| carrier.of_call(found[*call].at)).collect();
        for call in calls {
            let own = hits_of(world, (carrier, called), found[call].at, &items);
            if !own.is_empty() {
                out.push((call, items.clone(), own));
            }
        }
    }
    out
}
