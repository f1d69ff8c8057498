// React bindings: hooks over a HarnessClient, and its state as assistant-ui's messages. React and assistant-ui are the
// page's own; nothing else of the package needs them.

export type { HarnessLike } from './harness-like.ts'
export type { CommandOptions } from './runtime-commands.ts'
export { convertHarnessMessage, toThreadMessages } from './thread-messages.ts'
export { type HarnessActions, type HarnessView, useHarness } from './use-harness.ts'
export { type HarnessRuntimeOptions, useHarnessRuntime } from './use-harness-runtime.ts'
