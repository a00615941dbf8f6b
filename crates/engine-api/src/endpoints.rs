//! The endpoints, one module a group, and the list of all.

mod agent;
mod analysis;
mod audit_package;
mod chat;
mod deep;
mod document;
mod eval;
mod events;
mod fix;
mod law;
mod onboarding;
mod openapi;
mod passport;
mod passport_view;
mod redteam;
mod report;
mod scan;
mod share;
mod status;
mod sync;
mod tools;

use crate::Route;

/// Every route of the interface.
pub static ROUTES: &[Route] = &[
    Route::of::<status::GetStatus>(),
    Route::of::<events::GetEvents>(),
    Route::of::<scan::RunScan>(),
    Route::of::<scan::RunScanDiff>(),
    Route::of::<deep::RunDeepScan>(),
    Route::of::<chat::Chat>(),
    Route::of::<scan::GetSbom>(),
    // After the first scan.
    Route::of::<status::GetPosture>(),
    Route::of::<eval::RunEval>(),
    Route::of::<eval::StreamEval>(),
    Route::of::<eval::GetLast>(),
    Route::of::<eval::ListRuns>(),
    Route::of::<eval::GetFindings>(),
    Route::of::<eval::GetRemediation>(),
    Route::of::<eval::WriteRemediationReport>(),
    Route::of::<eval::ListEvalFixes>(),
    Route::of::<eval::CompareRuns>(),
    Route::of::<redteam::RunRedTeam>(),
    Route::of::<redteam::GetLast>(),
    Route::of::<redteam::RunAudit>(),
    Route::of::<fix::PreviewFixes>(),
    Route::of::<fix::PreviewFix>(),
    Route::of::<fix::ApplyFix>(),
    Route::of::<fix::ApplyAndValidate>(),
    Route::of::<fix::ApplyAll>(),
    Route::of::<fix::StreamApplyAll>(),
    Route::of::<fix::UndoFix>(),
    Route::of::<fix::GetFixHistory>(),
    Route::of::<agent::GetEvidence>(),
    Route::of::<agent::VerifyEvidence>(),
    Route::of::<agent::GetAudit>(),
    Route::of::<passport::InitPassports>(),
    Route::of::<passport::ListPassports>(),
    Route::of::<passport::ShowPassport>(),
    Route::of::<passport_view::InitPassportViews>(),
    Route::of::<passport_view::ListPassportViews>(),
    Route::of::<passport_view::ShowPassportView>(),
    Route::of::<passport_view::ValidatePassportView>(),
    Route::of::<passport_view::GetAutonomyView>(),
    Route::of::<passport_view::ExportPassportView>(),
    Route::of::<passport::RenamePassport>(),
    Route::of::<passport::ValidatePassport>(),
    Route::of::<passport::GetCompleteness>(),
    Route::of::<passport::GetAutonomy>(),
    Route::of::<passport::ComparePassport>(),
    Route::of::<passport::GetRegistry>(),
    Route::of::<passport::GetPermissions>(),
    Route::of::<passport::ExportPassport>(),
    Route::of::<passport::ImportPassport>(),
    Route::of::<audit_package::GetAuditPackage>(),
    Route::of::<audit_package::GetPackageMeta>(),
    Route::of::<onboarding::Detect>(),
    Route::of::<onboarding::GetQuestions>(),
    Route::of::<onboarding::Complete>(),
    Route::of::<onboarding::GetOnboarding>(),
    Route::of::<onboarding::StartGuide>(),
    Route::of::<onboarding::GetGuide>(),
    Route::of::<onboarding::DoStep>(),
    // After the answers that say which documents are due.
    Route::of::<document::WriteFria>(),
    Route::of::<document::NotifyWorkers>(),
    Route::of::<document::WritePolicy>(),
    Route::of::<document::WriteDocument>(),
    Route::of::<document::WriteAllDocuments>(),
    Route::of::<law::GetFrameworks>(),
    Route::of::<law::GetJurisdictions>(),
    Route::of::<law::GetJurisdiction>(),
    Route::of::<analysis::GetFrameworkScores>(),
    Route::of::<analysis::GetControlReadiness>(),
    Route::of::<analysis::GetDebt>(),
    Route::of::<analysis::GetCostEstimate>(),
    Route::of::<analysis::Simulate>(),
    Route::of::<analysis::WhatIf>(),
    Route::of::<report::GetBadge>(),
    Route::of::<report::GenerateBadge>(),
    Route::of::<report::WriteMarkdown>(),
    Route::of::<report::WritePdf>(),
    Route::of::<report::GetStatusReport>(),
    Route::of::<report::SavePdf>(),
    Route::of::<report::SavePage>(),
    Route::of::<share::CreateShare>(),
    Route::of::<share::GetShare>(),
    Route::of::<share::ListShares>(),
    Route::of::<share::RevokeShare>(),
    // After everything that can be sent.
    Route::of::<sync::SyncPassports>(),
    Route::of::<sync::SyncScan>(),
    Route::of::<sync::SyncDocuments>(),
    Route::of::<sync::SyncEvidence>(),
    Route::of::<sync::SyncAudit>(),
    Route::of::<sync::SyncFria>(),
    Route::of::<sync::GetSyncStatus>(),
    Route::of::<tools::GetToolsStatus>(),
    Route::of::<tools::UpdateTools>(),
    Route::of::<tools::RunTier2Scan>(),
    Route::of::<openapi::GetOpenApi>(),
];
