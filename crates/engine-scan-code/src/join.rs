//! The files of a project together.

use engine_model::{FileInfo, SourceText};

use crate::world::World;
use crate::{CodeFacts, CodeJoin, ManifestNames, calls, project};

pub(crate) fn join(files: &[(FileInfo, CodeFacts)], packages: &ManifestNames, source: &dyn SourceText) -> CodeJoin {
    let (sources, paths) = project::gather(files, source);
    let world = World::new(&sources, &paths);
    world.link();
    let context = calls::context(&world, packages);
    let (found, _extras) = calls::find(&world, &context);
    CodeJoin {
        calls: found.into_iter().map(|found| found.call).collect(),
        ..CodeJoin::default()
    }
}
