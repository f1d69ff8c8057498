// Runners of one's own: what a sandbox runs, and how a session reaches it.

export { type CredentialProxy, startCredentialProxy } from './credential-proxy.ts'
export { claudeEngine } from './engines/claude/claude.ts'
export { codexEngine } from './engines/codex/codex.ts'
export type { Engine, EngineInfo, EngineOptions, EngineSession, Turn, TurnEnd } from './engines/engine.ts'
export type { SandboxRunnerOptions } from './followed-run.ts'
export type { RunnerEvent, RunnerHealth, RunnerProtocol, RunnerQuery } from './protocol.ts'
export { sandboxRunner } from './sandbox.ts'
export { type Backend, resolveIsolation } from './sandboxes/isolation.ts'
export { LocalSandboxes, type LocalSandboxOptions } from './sandboxes/local.ts'
export type { Sandbox, SandboxProvider } from './sandboxes/provider.ts'
export { urlSandbox } from './sandboxes/url.ts'
export { type RunnerOptions, SandboxRunner } from './server.ts'
