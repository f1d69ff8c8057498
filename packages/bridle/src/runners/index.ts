// Runners of one's own: what a sandbox runs, and how a session reaches it.
export { claudeEngine } from './engines/claude/claude.ts'
export { codexEngine } from './engines/codex/codex.ts'
export type { Engine, EngineInfo, EngineOptions, EngineSession, Turn, TurnEnd } from './engines/engine.ts'
export type { SandboxRunnerOptions } from './followed-run.ts'
export type { RunnerEvent, RunnerHealth, RunnerProtocol, RunnerQuery } from './protocol.ts'
export { sandboxRunner } from './sandbox.ts'
export type { Sandbox, SandboxProvider } from './sandboxes/provider.ts'
export { type RunnerOptions, SandboxRunner } from './server.ts'
