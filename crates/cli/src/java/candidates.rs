//! What became of candidate sequences, as reports want it.

use java_backend::MethodAccount;
use model::FunctionId;
use report::CandidatesSummary;
use std::collections::BTreeMap;

/// By method.
pub(crate) type Told = BTreeMap<FunctionId, CandidatesSummary>;

/// Of all methods that such sequences were looked at for.
pub(crate) fn told(accounts: &BTreeMap<FunctionId, MethodAccount>) -> Told {
    let one = |(&id, account): (&FunctionId, &MethodAccount)| {
        let &MethodAccount { scripts, left_out, pointless, reordered, is_cut, exhausted, .. } = account;
        let summary = CandidatesSummary {
            tried: scripts,
            known: left_out,
            pointless,
            reordered,
            cut: is_cut,
            exhausted,
        };
        (scripts + left_out + pointless + reordered > 0).then_some((id, summary))
    };
    accounts.iter().filter_map(one).collect()
}
