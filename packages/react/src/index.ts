// React hooks over a `HarnessClient`, without other dependencies. The binding to assistant-ui is `bridle/assistant-ui`.
export type { HarnessLike } from './harness-like.ts'
export { type HarnessActions, type HarnessView, useHarness } from './use-harness.ts'
export { type ThreadActions, type ThreadsLike, useThreads } from './use-threads.ts'
