// React bindings: hooks over a HarnessClient. React is the page's own, and these need nothing else; `bridle/assistant-ui` has
// the binding to assistant-ui.
export type { HarnessLike } from './harness-like.ts'
export { type HarnessActions, type HarnessView, useHarness } from './use-harness.ts'
export { type ThreadActions, type ThreadsLike, useThreads } from './use-threads.ts'
