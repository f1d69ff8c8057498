// The ports of a store, and of the clock and the digest that come with it. Stores and targets implement these; the kernel awaits
// nothing else.
export type { Clock } from './clock.ts'
export type { Digest } from './digest.ts'
export {
  type Directory,
  type DirectoryRow,
  type ListedSession,
  type ListFilter,
  type OpenApproval,
  parentIdOf,
  type SessionEntry,
} from './directory.ts'
export type {
  BranchParent,
  KnownMessages,
  Lease,
  Log,
  LogAppend,
  ReadOptions,
  Snapshot,
  SnapshotWrite,
  StoredAnswer,
  Wake,
} from './log.ts'
export { StoreFault, type StoreFaultCode } from './store-fault.ts'
