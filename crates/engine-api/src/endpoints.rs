//! The endpoints, one module a group, and the list of all.

mod agent;
mod audit_package;
mod events;
mod law;
mod openapi;
mod passport;
mod scan;
mod status;

use crate::Route;

/// Every route of the interface.
pub static ROUTES: &[Route] = &[
    Route::of::<status::GetStatus>(),
    Route::of::<events::GetEvents>(),
    Route::of::<scan::RunScan>(),
    Route::of::<scan::RunScanDiff>(),
    Route::of::<scan::GetSbom>(),
    Route::of::<agent::GetEvidence>(),
    Route::of::<agent::VerifyEvidence>(),
    Route::of::<agent::GetAudit>(),
    Route::of::<passport::InitPassports>(),
    Route::of::<passport::ListPassports>(),
    Route::of::<passport::ShowPassport>(),
    Route::of::<passport::RenamePassport>(),
    Route::of::<passport::ValidatePassport>(),
    Route::of::<passport::GetCompleteness>(),
    Route::of::<passport::GetAutonomy>(),
    Route::of::<passport::GetRegistry>(),
    Route::of::<passport::GetPermissions>(),
    Route::of::<passport::ExportPassport>(),
    Route::of::<passport::ImportPassport>(),
    Route::of::<audit_package::GetAuditPackage>(),
    Route::of::<law::GetFrameworks>(),
    Route::of::<law::GetJurisdictions>(),
    Route::of::<law::GetJurisdiction>(),
    Route::of::<openapi::GetOpenApi>(),
];
