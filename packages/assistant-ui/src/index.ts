// The binding to assistant-ui: a HarnessClient as its runtime, and a session's state as its messages. React and assistant-ui
// are the page's own; nothing else of the package needs assistant-ui.
export type { CommandOptions } from './runtime-commands.ts'
export { convertHarnessMessage, toThreadMessages } from './thread-messages.ts'
export { type HarnessRuntimeOptions, useHarnessRuntime } from './use-harness-runtime.ts'
