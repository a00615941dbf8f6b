//! One function for each format, with fixtures written for it.

use engine_model::Ecosystem;

use super::{check, facts_of, joined, line_of};
use engine_model::fixture;

#[test]
fn a_package_json_alone_gives_ranges_and_exact_versions() {
    check(
        r#"//- package.json
{
  "name": "helper",
  "dependencies": {
    "openai": "4.73.0",
    "zod": "^3.0.0",
    "chat": "npm:@scope/real-chat@2.1.0"
  },
  "devDependencies": { "typescript": "~5.4.0", "react": "18.2.0" },
  "optionalDependencies": { "fsevents": "*" },
  "peerDependencies": { "react": ">=17", "vue": "3.4.1" }
}
"#,
        "
        @scope/real-chat 2.1.0 required direct :6
        fsevents (*) optional direct :9
        openai 4.73.0 required direct :4
        react 18.2.0 development direct :8
        typescript (~5.4.0) development direct :8
        vue 3.4.1 peer direct :10
        zod (^3.0.0) required direct :5
        ",
    );
}

#[test]
fn a_package_json_distinguishes_libraries_and_applications() {
    let facts = facts_of(
        "package.json",
        r#"{"name": "x", "private": true, "main": "index.js", "bin": {"run-x": "bin/x.js"}, "scripts": {"start": "node ."}, "workspaces": ["packages/*"], "license": "MIT"}"#,
    );
    let manifest = facts.manifest.unwrap();
    assert_eq!(manifest.library.len(), 1);
    assert_eq!(manifest.application.len(), 3);
    assert_eq!(manifest.entry_points[0].name, "run-x");
    assert_eq!(manifest.workspaces, ["packages/*"]);
    assert_eq!(manifest.license.as_deref(), Some("MIT"));
}

#[test]
fn a_package_lock_of_version_one_nests_packages() {
    check(
        r#"//- package-lock.json
{
  "lockfileVersion": 1,
  "dependencies": {
    "a": {
      "version": "1.0.0",
      "integrity": "sha1-w7M6te42DYbg5ijwRorn7yfWVN8=",
      "requires": { "b": "^2.0.0", "c": "^1.0.0" },
      "dependencies": { "b": { "version": "2.0.0", "dev": true } }
    },
    "b": { "version": "1.0.0", "dev": true },
    "c": { "version": "npm:real-c@1.5.0" },
    "d": { "version": "file:./d" },
    "e": { "version": "git+ssh://git@host.example/e.git#abc" }
  }
}
"#,
        "
        a 1.0.0 required unknown :4 #1 -> b@2.0.0, real-c@1.5.0
        b 1.0.0 development unknown :10
        b 2.0.0 development transitive :8
        e (git+ssh://host.example/e.git#abc) required unknown :13
        real-c 1.5.0 required unknown :11
        ",
    );
}

#[test]
fn a_package_lock_of_version_three_leaves_out_links_and_members() {
    check(
        r#"//- npm-shrinkwrap.json
{
  "lockfileVersion": 3,
  "packages": {
    "": { "name": "root", "dependencies": { "a": "^1.0.0" }, "devDependencies": { "b": "^2.0.0" }, "workspaces": ["packages/*"] },
    "node_modules/a": { "version": "1.0.0", "license": "MIT", "dependencies": { "b": "^1.0.0" } },
    "node_modules/a/node_modules/b": { "version": "1.0.0" },
    "node_modules/b": { "version": "2.0.0", "dev": true },
    "node_modules/alias": { "name": "real", "version": "3.0.0", "optional": true },
    "node_modules/member": { "resolved": "packages/member", "link": true },
    "packages/member": { "version": "0.1.0", "dependencies": { "real": "^3.0.0" } }
  }
}
"#,
        "
        a 1.0.0 required direct :5 [MIT] -> b@1.0.0
        b 1.0.0 required transitive :6
        b 2.0.0 development direct :7
        real 3.0.0 optional direct :8
        ",
    );
}

#[test]
fn a_classic_yarn_lock_is_resolved_with_its_manifest() {
    check(
        r#"//- package.json
{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"alias": "npm:@s/real@^2.0.0"}}
//- yarn.lock
# yarn lockfile v1


a@^1.0.0, "a@^1.1.0":
  version "1.2.0"
  resolved "https://registry.example/a/-/a-1.2.0.tgz#c3b33ab5ee360d86e0e628f0468ae7ef27d654df"
  dependencies:
    "@s/c" "^3.0.0"

"@s/c@^3.0.0":
  version "3.0.1"
  integrity sha512-AAAA

"alias@npm:@s/real@^2.0.0":
  version "2.0.0"
  optionalDependencies:
    a "^1.1.0"

"local@file:./local":
  version "0.0.1"
"#,
        "
        @s/c 3.0.1 required transitive :10 #1
        @s/real 2.0.0 development direct :14 -> a@1.2.0
        a 1.2.0 required direct :4 #1 -> @s/c@3.0.1
        ",
    );
}

#[test]
fn a_berry_lock_counts_patches_once_and_members_never() {
    check(
        r#"//- yarn.lock
__metadata:
  version: 8
  cacheKey: 10c0

"a@npm:^1.0.0, a@npm:^1.1.0":
  version: 1.2.0
  resolution: "a@npm:1.2.0"
  dependencies:
    b: "npm:^2.0.0"
  checksum: 10c0/abcdef
  languageName: node
  linkType: hard

"b@npm:^2.0.0":
  version: 2.0.0
  resolution: "b@npm:2.0.0"
  languageName: node
  linkType: hard

"b@patch:b@npm%3A^2.0.0#optional!builtin<compat/b>":
  version: 2.0.0
  resolution: "b@patch:b@npm%3A2.0.0#optional!builtin<compat/b>::version=2.0.0&hash=df0bf1"
  languageName: node
  linkType: hard

? "c@npm:^3.0.0"
: version: 3.0.0
  resolution: "c@npm:3.0.0"

"root@workspace:.":
  version: 0.0.0-use.local
  resolution: "root@workspace:."
  dependencies:
    a: "npm:^1.0.0"
  languageName: unknown
  linkType: soft
"#,
        "
        a 1.2.0 unknown direct :5 #1 -> b@2.0.0
        b 2.0.0 unknown transitive :14
        ",
    );
}

#[test]
fn a_pnpm_lock_of_version_five_drops_peers_behind_underscores() {
    check(
        "//- pnpm-lock.yaml
lockfileVersion: 5.4

importers:
  .:
    specifiers:
      a: ^1.0.0
    dependencies:
      a: 1.0.0_b@2.0.0
      local: link:../local
    devDependencies:
      '@s/c': 3.0.0

packages:

  /@s/c/3.0.0:
    resolution: {integrity: sha512-AAAA}
    dev: true

  /a/1.0.0_b@2.0.0:
    resolution: {integrity: sha512-AAAA}
    dependencies:
      b: 2.0.0
    dev: false

  /b/2.0.0:
    resolution:
      integrity: sha512-AAAA
    optional: true

  registry.example.org/d/4.0.0:
    resolution: {tarball: https://registry.example.org/d.tgz}
    name: d
    version: 4.0.0
",
        "
        @s/c 3.0.0 development direct :15 #1
        a 1.0.0 required direct :19 #1 -> b@2.0.0
        b 2.0.0 optional transitive :25 #1
        d 4.0.0 required transitive :30
        ",
    );
}

#[test]
fn a_pnpm_lock_of_version_six_drops_peers_in_brackets() {
    check(
        "//- pnpm-lock.yaml
lockfileVersion: '6.0'

dependencies:
  a:
    specifier: ^1.0.0
    version: 1.0.0(b@2.0.0)

packages:

  /a@1.0.0(b@2.0.0):
    resolution: {integrity: sha512-AAAA}
    dependencies:
      b: 2.0.0
    deprecated: 'Use something
      else: please'

  /b@2.0.0:
    resolution: {integrity: sha512-AAAA}
    dev: true
",
        "
        a 1.0.0 required direct :10 #1 -> b@2.0.0
        b 2.0.0 development transitive :17 #1
        ",
    );
}

#[test]
fn a_pnpm_lock_of_version_nine_joins_packages_and_snapshots_of_all_documents() {
    check(
        "//- pnpm-lock.yaml
lockfileVersion: '9.0'

importers:
  .:
    packageManagerDependencies:
      pnpm:
        specifier: ^11.0.0
        version: 11.0.0

packages:

  pnpm@11.0.0:
    resolution: {integrity: sha512-AAAA}
    engines: {node: '>=20'}
    cpu: [x64,
      arm64]

snapshots:

  pnpm@11.0.0: {}

---
lockfileVersion: '9.0'

importers:
  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0(b@2.0.0)
    optionalDependencies:
      c:
        specifier: 3.0.0
        version: 3.0.0

packages:

  '@s/d@4.0.0':
    resolution: {integrity: sha512-AAAA}

  a@1.0.0:
    resolution: {integrity: sha512-AAAA}
    peerDependencies:
      b: '*'

  b@2.0.0:
    resolution: {integrity: sha512-AAAA}

  c@3.0.0:
    resolution: {integrity: sha512-AAAA}

  git@https://codeload.example.org/x/git/tar.gz/abc:
    resolution: {tarball: https://codeload.example.org/x/git/tar.gz/abc}
    version: 0.1.0

snapshots:

  '@s/d@4.0.0': {}

  a@1.0.0(b@2.0.0):
    dependencies:
      b: 2.0.0

  b@2.0.0: {}

  c@3.0.0:
    dependencies:
      '@s/d': 4.0.0
    optional: true
",
        "
        @s/d 4.0.0 optional transitive :38 #1
        a 1.0.0 required direct :41 #1 -> b@2.0.0
        b 2.0.0 required transitive :46 #1
        c 3.0.0 optional direct :49 #1 -> @s/d@4.0.0
        git 0.1.0 unknown transitive :52
        pnpm 11.0.0 development direct :12 #1
        ",
    );
}

#[test]
fn a_bun_lock_is_read_in_spite_of_trailing_commas() {
    check(
        r#"//- bun.lock
{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "dependencies": { "a": "^1.0.0", }, "devDependencies": { "b": "2.0.0", }, },
  },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "b": "^1.0.0" } }, "sha512-AAAA"],
    "b": ["b@2.0.0", "", {}, "sha512-AAAA"],
    "a/b": ["b@1.0.0", "", {}, "sha512-AAAA"],
    "member": ["member@workspace:packages/member"],
  }
}
"#,
        "
        a 1.0.0 required direct :7 #1 -> b@1.0.0
        b 1.0.0 required transitive :9 #1
        b 2.0.0 development direct :8 #1
        ",
    );
}

#[test]
fn requirements_are_read_with_hashes_markers_extras_and_addresses() {
    let tree = "//- requirements.txt
# comment
--index-url https://user:secret@pypi.example.org/simple
-r more.txt
-c constraints.txt
openai==1.54.3 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
uvicorn[standard]>=0.20,<1.0 ; python_version < \"3.13\"  # via -r x.in
torch  # any
numpy == 1.26.*
Old_Name===2.0
pkg @ https://token@files.example.org/pkg-1.0.whl
-e git+https://github.com/x/y.git@main#egg=y-name&subdirectory=z
git+https://github.com/x/nameless.git
./local
(broken
";
    check(
        tree,
        "
        numpy (==1.26.*) required direct :10
        Old_Name 2.0 required direct :11
        openai 1.54.3 required direct :5 #2
        pkg 1.0 required direct :12
        torch ? required direct :9
        uvicorn (>=0.20,<1.0) required direct :8
        y-name (git+https://github.com/x/y.git@main#egg=y-name&subdirectory=z) required direct :13
        ",
    );
    let facts = joined(&fixture(tree).unwrap());
    let notes: Vec<&str> = facts.notes.iter().map(|(_, note)| note.text.as_str()).collect();
    assert_eq!(
        notes,
        [
            "includes `more.txt`, which is not among the files that were read",
            "includes `constraints.txt`, which is not among the files that were read",
            "an address without a package name was skipped",
            "a local path was skipped",
            "a line that is not a requirement was skipped",
        ]
    );
    assert!(!format!("{facts:?}").contains("secret"));
}

#[test]
fn a_pyproject_is_read_in_all_its_dialects() {
    check(
        r#"//- pyproject.toml
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "helper"
dependencies = [
    "openai>=1.0",
    "httpx==0.27.0",
]

[project.optional-dependencies]
local = ["llama-cpp-python"]
dev = ["ruff"]

[project.scripts]
helper = "helper.cli:main"

[dependency-groups]
test = ["pytest>=8", { include-group = "lint" }]

[tool.poetry.dependencies]
python = "^3.11"
anthropic = "^0.30"
langchain = { version = "0.2.1", optional = true, extras = ["x"] }
here = { path = "../here" }
remote = { git = "https://github.com/x/remote.git" }

[tool.poetry.group.docs.dependencies]
sphinx = "7.1.2"

[tool.pdm.dev-dependencies]
typing = ["mypy==1.10.0"]
"#,
        "
        anthropic (^0.30) required direct :24
        httpx 0.27.0 required direct :9
        langchain 0.2.1 optional direct :25
        llama-cpp-python ? optional direct :13
        mypy 1.10.0 development direct :33
        openai (>=1.0) required direct :8
        pytest (>=8) development direct :20
        remote (https://github.com/x/remote.git) required direct :27
        ruff ? development direct :14
        sphinx 7.1.2 development direct :30
        ",
    );
}

#[test]
fn setup_files_are_read_where_they_are_literal() {
    check(
        "//- a/setup.cfg
[metadata]
name = helper
[options]
install_requires =
    openai>=1.0
    requests ; python_version > '3'
[options.extras_require]
voice = whisper==1.0
//- b/setup.py
from setuptools import setup
setup(
    name='x',
    install_requires=[
        'flask>=2',  # why
        \"torch==2.1.0\",
    ],
    tests_require=extra(),
)
",
        "
        flask (>=2) required direct :5
        openai (>=1.0) required direct :5
        requests ? required direct :6
        torch 2.1.0 required direct :6
        whisper 1.0 optional direct :8
        ",
    );
}

#[test]
fn a_pipfile_is_answered_by_its_lock() {
    check(
        r#"//- Pipfile
[packages]
openai = "*"
flask = "==2.0.0"
[dev-packages]
pytest = ">=7"
//- Pipfile.lock
{
    "_meta": {},
    "default": {
        "openai": { "hashes": ["sha256:aa", "sha256:bb"], "version": "==1.54.3" },
        "flask": { "version": "==2.0.0" },
        "jiter": { "version": "==0.5.0" },
        "here": { "path": ".", "editable": true },
        "checkout": { "git": "https://x@host.example/c.git", "ref": "abc" }
    },
    "develop": { "pytest": { "version": "==7.4.0" } }
}
"#,
        "
        flask 2.0.0 required direct :5
        jiter 0.5.0 required transitive :6
        openai 1.54.3 required direct :4 #2
        pytest 7.4.0 development direct :10
        ",
    );
}

#[test]
fn a_poetry_lock_is_read_in_its_old_and_new_form() {
    check(
        r#"//- old/poetry.lock
[[package]]
category = "main"
name = "openai"
version = "0.27.0"
[package.dependencies]
Requests = ">=2.20"

[[package]]
category = "dev"
name = "requests"
optional = false
version = "2.31.0"

[metadata.files]
openai = [{file = "openai.whl", hash = "sha256:aa"}]
//- new/poetry.lock
[[package]]
name = "anthropic"
version = "0.30.0"
groups = ["main", "dev"]
files = [
    {file = "a.whl", hash = "sha256:aa"},
    {file = "a.tar.gz", hash = "sha256:bb"},
]

[[package]]
name = "black"
version = "24.1.0"
groups = ["dev"]
optional = false

[[package]]
name = "here"
version = "0.1.0"
[package.source]
type = "directory"
url = "../here"
"#,
        "
        anthropic 0.30.0 required unknown :2 #2
        black 24.1.0 development unknown :11
        openai 0.27.0 required unknown :3 #1 -> requests@2.31.0
        requests 2.31.0 development unknown :10
        ",
    );
}

#[test]
fn a_pdm_lock_joins_a_package_with_its_extras() {
    check(
        r#"//- pdm.lock
[[package]]
name = "cachecontrol"
version = "0.13.1"
groups = ["default"]
dependencies = ["msgpack>=0.5.2"]
files = [{file = "c.whl", hash = "sha256:aa"}]

[[package]]
name = "cachecontrol"
version = "0.13.1"
extras = ["filecache"]
groups = ["dev"]
dependencies = ["cachecontrol==0.13.1", "filelock>=3.8.0"]

[[package]]
name = "filelock"
version = "3.12.0"
groups = ["dev"]

[[package]]
name = "msgpack"
version = "1.0.5"
groups = ["default"]
"#,
        "
        cachecontrol 0.13.1 required unknown :2 #1 -> filelock@3.12.0, msgpack@1.0.5
        filelock 3.12.0 development unknown :16
        msgpack 1.0.5 required unknown :21
        ",
    );
}

#[test]
fn a_uv_lock_starts_from_its_own_project() {
    check(
        r#"//- uv.lock
version = 1

[[package]]
name = "helper"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "openai" }]

[package.optional-dependencies]
local = [{ name = "numpy", version = "1.26.4", marker = "x" }]

[package.dev-dependencies]
dev = [{ name = "pytest" }]

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://pypi.example.org/simple" }

[[package]]
name = "numpy"
version = "2.0.0"
source = { registry = "https://pypi.example.org/simple" }

[[package]]
name = "openai"
version = "1.54.3"
source = { registry = "https://pypi.example.org/simple" }
dependencies = [{ name = "pydantic" }]
sdist = { url = "u", hash = "sha256:aa" }
wheels = [{ url = "u", hash = "sha256:bb" }]

[[package]]
name = "pydantic"
version = "2.8.0"
source = { git = "https://user:pw@host.example/p.git" }

[[package]]
name = "pytest"
version = "8.0.0"
source = { registry = "https://pypi.example.org/simple" }
"#,
        "
        numpy 1.26.4 optional direct :16
        numpy 2.0.0 unknown transitive :21
        openai 1.54.3 required direct :26 #2 -> pydantic@2.8.0
        pydantic 2.8.0 required transitive :34
        pytest 8.0.0 development direct :39
        ",
    );
}

#[test]
fn a_standard_python_lock_is_read() {
    check(
        r#"//- pylock.toml
lock-version = "1.0"
[[packages]]
name = "attrs"
version = "25.1.0"
wheels = [{ url = "u", hashes = { sha256 = "aa" } }]
[[packages]]
name = "here"
[packages.directory]
path = "."
"#,
        "attrs 25.1.0 unknown unknown :3 #1",
    );
}

#[test]
fn a_conda_environment_names_packages_of_channels_and_of_the_python_registry() {
    check(
        "//- environment.yml
name: helper
channels:
  - conda-forge
dependencies:
  - python=3.11
  - conda-forge::pytorch==2.1.0
  - numpy 1.26.4 py311_0
  - scipy=1.11.4=py311h64a7726_0
  - pip
  - pip:
    - openai==1.54.3
    - langchain>=0.2
",
        "
        langchain (>=0.2) required direct :12
        openai 1.54.3 required direct :11
        numpy 1.26.4 required direct :7
        pip ? required direct :9
        python (=3.11) required direct :5
        pytorch 2.1.0 required direct :6
        scipy 1.11.4 required direct :8
        ",
    );
}

#[test]
fn cargo_manifests_take_versions_from_lock_and_workspace() {
    check(
        r#"//- Cargo.toml
[workspace]
members = ["a"]
[workspace.dependencies]
serde = "1.0"
inner = { path = "inner" }
loose = "=0.5.0"
//- a/Cargo.toml
[package]
name = "a"
[dependencies]
async-openai = "0.25"
serde = { workspace = true }
renamed = { package = "real", version = "=2.0.1" }
inner.workspace = true
loose.workspace = true
[dev-dependencies]
insta = "1"
[target.'cfg(unix)'.dependencies]
libc = { version = "0.2", optional = true }
//- Cargo.lock
version = 4

[[package]]
name = "a"
version = "0.1.0"
dependencies = ["async-openai", "serde 1.0.200", "insta", "libc"]

[[package]]
name = "async-openai"
version = "0.25.0"
source = "registry+https://example.org/index"
checksum = "dfbe277e56a376000877090da837660b4427aad530e3028d44e0bffe4f89a1c1"
dependencies = ["serde 1.0.200"]

[[package]]
name = "insta"
version = "1.39.0"
source = "registry+https://example.org/index"
dependencies = ["serde 0.9.0"]

[[package]]
name = "libc"
version = "0.2.150"
source = "registry+https://example.org/index"

[[package]]
name = "serde"
version = "0.9.0"
source = "registry+https://example.org/index"

[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://example.org/index"
"#,
        "
        async-openai 0.25.0 required direct :9 #1 -> serde@1.0.200
        insta 1.39.0 development direct :16 -> serde@0.9.0
        libc 0.2.150 optional direct :22
        loose 0.5.0 required direct :8
        real 2.0.1 required direct :6
        serde 0.9.0 development transitive :27
        serde 1.0.200 required direct :32
        ",
    );
}

#[test]
fn a_go_module_knows_what_is_indirect_and_go_sum_gives_digests() {
    check(
        "//- go.mod
module example.org/x

go 1.22

require github.com/sashabaranov/go-openai v1.30.0

require (
	github.com/google/uuid v1.6.0 // indirect
	// a remark
	golang.org/x/net v0.20.0 // keep: pinned
)

replace github.com/google/uuid => ../uuid
exclude golang.org/x/net v0.19.0
//- go.sum
github.com/sashabaranov/go-openai v1.30.0 h1:AAAA
github.com/sashabaranov/go-openai v1.30.0/go.mod h1:AAAA
github.com/other/unused v0.1.0 h1:AAAA
//- old/go.sum
github.com/alone/x v0.1.0 h1:AAAA
github.com/alone/y v0.1.0/go.mod h1:AAAA
",
        "
        github.com/alone/x v0.1.0 unknown unknown :1 #1
        github.com/google/uuid v1.6.0 unknown transitive :8
        github.com/sashabaranov/go-openai v1.30.0 unknown direct :5 #1
        golang.org/x/net v0.20.0 unknown direct :10
        ",
    );
}

#[test]
fn a_pom_resolves_properties_management_and_a_parent_in_the_tree() {
    check(
        r#"//- pom.xml
<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>org.example</groupId>
  <artifactId>parent</artifactId>
  <version>1.0</version>
  <packaging>pom</packaging>
  <properties><lc4j.version>1.17.0</lc4j.version><again>${lc4j.version}</again></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>dev.langchain4j</groupId><artifactId>langchain4j</artifactId><version>${again}</version></dependency>
    <dependency><groupId>io.bom</groupId><artifactId>bom</artifactId><version>3</version><type>pom</type><scope>import</scope></dependency>
  </dependencies></dependencyManagement>
</project>
//- app/pom.xml
<project>
  <parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
  <artifactId>app</artifactId>
  <dependencies>
    <dependency><groupId>dev.langchain4j</groupId><artifactId>langchain4j</artifactId></dependency>
    <dependency>
      <groupId>${project.groupId}</groupId><artifactId>core</artifactId><version>${project.version}</version>
    </dependency>
    <dependency><groupId>io.bom</groupId><artifactId>part</artifactId></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>[4.0,5.0)</version><scope>test</scope></dependency>
    <!-- <dependency><groupId>gone</groupId><artifactId>gone</artifactId></dependency> -->
    <dependency><groupId>x</groupId><artifactId>y</artifactId><version>${lc4j.version}</version><optional>true</optional></dependency>
  </dependencies>
</project>
"#,
        "
        dev.langchain4j:langchain4j 1.17.0 required direct :5
        io.bom:part (set by io.bom:bom 3) required direct :9
        junit:junit ([4.0,5.0)) development direct :10
        org.example:core 1.0 required direct :6
        x:y 1.17.0 optional direct :12
        ",
    );
}

#[test]
fn a_bill_of_materials_in_gradle_fixes_what_names_no_version() {
    check(
        r#"//- build.gradle
ext {
    set('springAiVersion', "1.0.0")
}
dependencies {
    implementation 'org.springframework.ai:spring-ai-starter-model-openai'
    implementation 'org.other:part'
    implementation platform("dev.langchain4j:langchain4j-bom:1.2.0")
    implementation 'dev.langchain4j:langchain4j'
}
dependencyManagement {
    imports {
        mavenBom "org.springframework.ai:spring-ai-bom:${springAiVersion}"
    }
}
//- open/build.gradle.kts
dependencies {
    implementation(platform("dev.langchain4j:langchain4j-bom:1.+"))
    implementation("dev.langchain4j:langchain4j")
}
"#,
        "
        dev.langchain4j:langchain4j (set by dev.langchain4j:langchain4j-bom 1.2.0) required direct :8
        dev.langchain4j:langchain4j ? required direct :3
        org.other:part ? required direct :6
        org.springframework.ai:spring-ai-starter-model-openai (set by org.springframework.ai:spring-ai-bom 1.0.0) required direct :5
        ",
    );
}

#[test]
fn gradle_files_are_read_where_they_are_literal_and_answered_by_the_lock() {
    check(
        r#"//- build.gradle.kts
plugins { id("org.springframework.boot") version "3.2.0" }
val lcVersion = "0.35.0"
dependencies {
    implementation("dev.langchain4j:langchain4j:$lcVersion")
    implementation(platform("io.bom:bom:1.0"))
    api("com.example:lib:1.+")
    testImplementation(group = "junit", name = "junit", version = "4.13")
    implementation(libs.some.alias)
    // implementation("gone:gone:1.0")
}
//- gradle.lockfile
# comment
dev.langchain4j:langchain4j:0.35.1=compileClasspath,runtimeClasspath
org.slf4j:slf4j-api:2.0.0=testRuntimeClasspath
empty=annotationProcessor
//- gradle/libs.versions.toml
[versions]
ktor = "2.3.0"
rich = { strictly = "1.9.0" }
[libraries]
ktor-core = { module = "io.ktor:ktor-client-core", version.ref = "ktor" }
short = "com.short:short:1.1"
parts = { group = "g", name = "a", version.ref = "rich" }
open = { module = "o:o" }
broken = "nothing"
"#,
        "
        com.example:lib (1.+) required direct :6
        com.short:short 1.1 unknown unknown :6
        dev.langchain4j:langchain4j 0.35.1 required direct :2
        g:a 1.9.0 unknown unknown :7
        io.ktor:ktor-client-core 2.3.0 unknown unknown :5
        junit:junit 4.13 development direct :7
        o:o ? unknown unknown :8
        org.slf4j:slf4j-api 2.0.0 development transitive :3
        ",
    );
}

#[test]
fn gradle_statements_on_one_line_are_read() {
    check(
        r#"//- build.gradle.kts
plugins { id("com.android.application") }
dependencies { implementation("com.google.firebase:firebase-ai:17.0.0"); api("a.b:c:1.0") { exclude(group = "x", module = "y") } }
"#,
        "
        a.b:c 1.0 required direct :2
        com.google.firebase:firebase-ai 17.0.0 required direct :2
        ",
    );
}

#[test]
fn dotnet_projects_take_versions_from_the_central_file() {
    check(
        r#"//- Directory.Packages.props
<Project>
  <PropertyGroup><ExtVersion>9.0.1</ExtVersion></PropertyGroup>
  <ItemGroup>
    <PackageVersion Include="OpenAI" Version="2.1.0" />
    <PackageVersion Include="Microsoft.Extensions.AI" Version="$(ExtVersion)" />
    <PackageVersion Include="Unused" Version="1.0.0" />
    <GlobalPackageReference Include="Analyzer" Version="1.2.3" />
  </ItemGroup>
</Project>
//- src/App.csproj
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="OpenAI" />
    <PackageReference Include="Microsoft.Extensions.AI" />
    <PackageReference Include="Own" VersionOverride="[1.0,2.0)" />
    <PackageReference Include="Tool"><Version>3.0.0</Version><PrivateAssets>all</PrivateAssets></PackageReference>
    <PackageReference Update="Elsewhere" Version="1.0.0" />
  </ItemGroup>
</Project>
"#,
        "
        Analyzer 1.2.3 required direct :7
        Microsoft.Extensions.AI 9.0.1 required direct :5
        OpenAI 2.1.0 required direct :4
        Own ([1.0,2.0)) required direct :6
        Tool 3.0.0 development direct :7
        ",
    );
}

#[test]
fn central_versions_alone_are_declared_packages() {
    check(
        "//- Directory.Packages.props
<Project><ItemGroup><PackageVersion Include=\"OpenAI\" Version=\"2.1.0\" /></ItemGroup></Project>
",
        "OpenAI 2.1.0 unknown unknown :1",
    );
}

#[test]
fn a_nuget_lock_and_a_packages_config_are_read() {
    check(
        r#"//- a/packages.lock.json
{ "version": 1, "dependencies": { "net8.0": {
  "OpenAI": { "type": "Direct", "requested": "[2.1.0, )", "resolved": "2.1.0", "contentHash": "AAAA", "dependencies": { "System.ClientModel": "1.2.0" } },
  "System.ClientModel": { "type": "Transitive", "resolved": "1.2.1" },
  "inner": { "type": "Project" }
} } }
//- b/packages.config
<packages>
  <package id="jQuery" version="3.4.1" targetFramework="net48" />
  <package id="StyleCop" version="5.0.0" developmentDependency="true" />
</packages>
"#,
        "
        jQuery 3.4.1 required unknown :2
        OpenAI 2.1.0 required direct :2 #1 -> System.ClientModel@1.2.1
        StyleCop 5.0.0 development unknown :3
        System.ClientModel 1.2.1 required transitive :3
        ",
    );
}

#[test]
fn composer_files_leave_out_the_platform() {
    check(
        r#"//- composer.json
{ "require": { "php": ">=8.1", "ext-json": "*", "openai-php/client": "^0.10" }, "require-dev": { "phpunit/phpunit": "10.0.0" } }
//- composer.lock
{
  "packages": [
    {
      "name": "openai-php/client", "version": "v0.10.1", "license": ["MIT", "BSD-3-Clause"],
      "require": { "php": "^8.1", "psr/http-client": "^1.0" },
      "dist": { "type": "zip", "shasum": "c3b33ab5ee360d86e0e628f0468ae7ef27d654df" }
    },
    { "name": "psr/http-client", "version": "1.0.3" },
    { "name": "own/path", "version": "dev-main", "dist": { "type": "path" } }
  ],
  "packages-dev": [ { "name": "phpunit/phpunit", "version": "10.0.0" } ]
}
"#,
        "
        openai-php/client v0.10.1 required direct :4 #1 [MIT OR BSD-3-Clause] -> psr/http-client@1.0.3
        phpunit/phpunit 10.0.0 development direct :11
        psr/http-client 1.0.3 required transitive :8
        ",
    );
}

#[test]
fn bundler_files_are_read_with_groups_and_platforms() {
    check(
        "//- Gemfile
source 'https://rubygems.org'
gem 'ruby-openai', '~> 7.0'
gem \"rails\", \"7.1.0\"
gemspec
group :development, :test do
  gem 'rspec'
end
gem 'inner', path: 'inner'
gem 'pry', group: :development
//- Gemfile.lock
PATH
  remote: inner
  specs:
    inner (0.1.0)
      rails

GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.16.0-x86_64-linux)
    nokogiri (1.16.0-arm64-darwin)
    rails (7.1.0)
      nokogiri (>= 1.6)
    rspec (3.12.0)
    ruby-openai (7.0.1)
      gone (>= 1)

PLATFORMS
  x86_64-linux

DEPENDENCIES
  inner!
  rails (= 7.1.0)
  rspec
  ruby-openai (~> 7.0)

CHECKSUMS
  rails (7.1.0) sha256=abcd

BUNDLED WITH
   2.4.0
//- lib/thing.gemspec
Gem::Specification.new do |s|
  s.name = 'thing'
  s.add_dependency 'faraday', '>= 1', '< 3'
  s.add_development_dependency('rake', '13.0.0')
end
",
        "
        faraday (>= 1, < 3) required direct :3
        nokogiri 1.16.0 required transitive :10
        nokogiri 1.16.0 required transitive :11
        pry ? development direct :9
        rails 7.1.0 required direct :12 #1 -> nokogiri@1.16.0
        rake 13.0.0 development direct :4
        rspec 3.12.0 development direct :14
        ruby-openai 7.0.1 required direct :15
        ",
    );
}

#[test]
fn mcp_configurations_give_names_and_targets_and_never_arguments() {
    let tree = r#"//- .mcp.json
{
  "mcpServers": {
    "files": { "command": "npx --token=hunter2", "args": ["-y", "server", "--key", "hunter2"], "env": { "KEY": "hunter2" } },
    "remote": { "type": "http", "url": "https://me:hunter2@mcp.example.org/mcp?key=hunter2", "headers": { "Authorization": "hunter2" } }
  }
}
//- .vscode/mcp.json
// a comment
{ "servers": { "old": { "url": "http://localhost:3000/sse" } }, }
//- .codex/config.toml
[mcp_servers.docs]
command = "docs-server"
args = ["hunter2"]
"#;
    let joined = joined(&fixture(tree).unwrap());
    let found: Vec<String> = joined
        .mcp_servers
        .iter()
        .map(|server| {
            format!(
                "{}:{} {} {} {}",
                server.file,
                server.line,
                server.name,
                server.transport,
                server.target.as_deref().unwrap_or("-")
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ".codex/config.toml:1 docs stdio docs-server",
            ".mcp.json:3 files stdio npx",
            ".mcp.json:4 remote http https://mcp.example.org/mcp",
            ".vscode/mcp.json:2 old sse http://localhost:3000/sse",
        ]
    );
    assert!(!format!("{joined:?}").contains("hunter2"));
}

#[test]
fn package_urls_follow_the_rules_of_their_type() {
    let purl = |ecosystem, name, version| crate::package::purl(ecosystem, name, version);
    assert_eq!(
        purl(Ecosystem::PyPI, "Foo_Bar.baz", Some("1.0+cpu")),
        "pkg:pypi/foo-bar-baz@1.0%2Bcpu"
    );
    assert_eq!(purl(Ecosystem::Npm, "@scope/name", None), "pkg:npm/%40scope/name");
    assert_eq!(purl(Ecosystem::Maven, "g.h:a", Some("1")), "pkg:maven/g.h/a@1");
    assert_eq!(
        purl(Ecosystem::Go, "github.com/BurntSushi/toml", Some("v1")),
        "pkg:golang/github.com/burntsushi/toml@v1"
    );
    assert_eq!(purl(Ecosystem::RubyGems, "rails", Some("7")), "pkg:gem/rails@7");
}

#[test]
fn a_file_is_read_in_utf16_too() {
    let text: Vec<u8> = "\u{FEFF}openai==1.0\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let facts = crate::read(&engine_model::SourceFile::new("requirements.txt", text));
    assert_eq!(
        facts.packages.iter().map(line_of).collect::<Vec<_>>(),
        ["openai 1.0 required direct :1"]
    );
}
