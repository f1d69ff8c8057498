// How each kind of runner names its engine on status cards.
import type { EngineIdentity } from '@bridle/kernel/engine-info'

/** Agents written in TypeScript. */
export const nativeIdentity: EngineIdentity = { engine: 'native', runnerKind: 'in_process' }

export const scriptedIdentity: EngineIdentity = { engine: 'scripted', runnerKind: 'in_process' }

/** An engine that runs in a sandbox, behind a runner. */
export const bridgeIdentity = (engine: string): EngineIdentity => ({ engine, runnerKind: 'bridge' })
