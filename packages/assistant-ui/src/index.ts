// The binding to assistant-ui. React and assistant-ui are peer dependencies that no other entry needs.
export type { CommandOptions } from './runtime-commands.ts'
export { convertHarnessMessage, toThreadMessages } from './thread-messages.ts'
export { type HarnessRuntimeOptions, useHarnessRuntime } from './use-harness-runtime.ts'
