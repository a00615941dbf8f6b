//! The code in a `TorchScript` archive: operators that access files or other processes, and those of foreign libraries.

use engine_model::{ModelFileProblemKind, ModelImportKind};

use crate::behaviour::Effect;
use crate::draft::{Draft, shown};
use crate::imports;

/// Libraries of operators that come with `PyTorch` or with a well-known extension.
const LIBRARIES: &[&str] = &[
    "_caffe2",
    "_quantized",
    "aten",
    "cuda",
    "detectron2",
    "fbgemm",
    "image",
    "inductor",
    "metal",
    "mkl",
    "mkldnn",
    "mkldnn_prepacked",
    "mmcv",
    "mmdeploy",
    "onednn",
    "prepacked",
    "prim",
    "prims",
    "profiler",
    "pyg",
    "quantized",
    "quantized_decomposed",
    "sparse",
    "static_runtime",
    "tensorrt",
    "torch_cluster",
    "torch_scatter",
    "torch_sparse",
    "torch_spline_conv",
    "torchaudio",
    "torchtext",
    "torchvision",
    "vulkan_prepack",
    "xnnpack",
];

/// Calls of one file that are looked at.
const CALLS_MAX: usize = 200_000;

/// Whether a member of an archive is code of the format.
pub(crate) fn is_code(member: &str) -> bool {
    member.rsplit_once('.').is_some_and(|(_, ending)| ending == "py")
        && (member.contains("/code/") || member.starts_with("code/"))
}

/// Adds what the code of one member calls.
pub(crate) fn read(code: &str, member: &str, draft: &mut Draft) {
    let mut calls = 0;
    let mut rest = code;
    while let Some(at) = rest.find('(') {
        calls += 1;
        if calls > CALLS_MAX {
            draft.not_read("its code is longer than this scan reads", Some(member));
            return;
        }
        let before = &rest[..at];
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .map_or(0, |end| end + before[end..].chars().next().map_or(1, char::len_utf8));
        call(before[start..].trim_start_matches('.'), member, draft);
        rest = &rest[at + 1..];
    }
}

fn call(path: &str, member: &str, draft: &mut Draft) {
    let (library, operator) = match path.strip_prefix("ops.").and_then(|path| path.split_once('.')) {
        Some(("aten", operator)) => ("aten", format!("torch.{operator}")),
        Some((library, operator)) => (library, format!("torch.ops.{library}.{operator}")),
        None if path.starts_with("torch.") && path.matches('.').count() == 1 => ("aten", path.to_owned()),
        None => return,
    };
    let judged = imports::judge_operator(&operator);
    if judged.kind == ModelImportKind::Dangerous {
        let kind = if judged.effect <= Effect::Files {
            ModelFileProblemKind::ReachesFiles
        } else {
            ModelFileProblemKind::ReachesCode
        };
        let message = format!("calls `{}` when it is used, which {}", shown(path), judged.why);
        draft.import(shown(path), ModelImportKind::Dangerous, false, Some(member));
        draft.problem(kind, message, Some(member));
    } else if !LIBRARIES.contains(&library) {
        draft.import(shown(path), ModelImportKind::Unknown, true, Some(member));
        draft.problem(
            ModelFileProblemKind::UnknownImport,
            format!(
                "calls `{}` when it is used, an operator of another library",
                shown(path)
            ),
            Some(member),
        );
    }
}
