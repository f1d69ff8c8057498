// An engine plays turns: Claude Code, Codex. The runner keeps one open while it is likely to be asked again; an engine
// that is gone is opened anew from its resume id, and that costs only time.
import type { EngineInfo } from '../../kernel/engine-info.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { ProviderName } from '../credentials/providers.ts'
import type { EngineSettings, RunnerEvent } from '../protocol.ts'
import type { EngineLauncher } from '../sandboxes/isolation/engine-start.ts'

export interface EngineOptions {
  /** Where it works. */
  readonly workFolder: string
  /** Where it keeps its transcripts: whoever has this folder can resume. */
  readonly stateFolder: string
  /** What the runner itself remembers of the engine: nothing that runs in a sandbox can write it, so it is believed. */
  readonly privateFolder: string
  /** Builds the walls on first use. Rejects with a sentence where there are to be walls and none can be had. */
  readonly launcher: () => Promise<EngineLauncher>
  readonly resume: string | null
  readonly settings: EngineSettings
}

export interface Engine {
  readonly name: string
  readonly info: EngineInfo
  readonly provider: ProviderName
  /** What is missing, in a sentence a person can act on; null = nothing. */
  needs(): Promise<string | null>
  open(options: EngineOptions): Promise<EngineSession>
}

/** One turn at a time. */
export interface EngineSession {
  /** How to go on from where it stands; null before the first turn. Another string after every turn. */
  readonly resume: string | null
  /** The engine's own name for the conversation. */
  readonly sessionId: string | null
  /** It can play another turn. */
  readonly alive: boolean
  /**
   * Everything is said through `turn`. Never rejects: what goes wrong is an end. `continues`: the engine remembers the prompt and
   * a part of the work, and goes on with it.
   */
  play(prompt: string, turn: TurnReporter, continues?: boolean): Promise<TurnEnd>
  /** Ends the turn under way. The session may stay alive. */
  interrupt(): Promise<void>
  /** A word to the turn under way. Rejects where there is none. */
  steer(text: string): Promise<void>
  /** Stops one piece of delegated work of the turn. False = there is none of this id. */
  stopTask?(taskId: string): Promise<boolean>
  /** Ends the engine's process and all that it started; never hangs. */
  close(): Promise<void>
}

/** The prompt of a turn that goes on in the middle. */
export const CONTINUE_PROMPT =
  'The work was stopped and goes on now. Continue from where you stopped. Do not repeat what is done already.'

export interface TurnReporter {
  /** The frame it became. */
  report(event: RunnerEvent): number
  /** Waits while too much is unread: a flood stops at its source. */
  waitForRoom(): Promise<void>
  /** Resolves when the caller has the frame for good; at once where the caller acknowledges nothing. */
  waitForAcknowledgement(frame: number): Promise<void>
  /** Says `approval.required` and waits for the answer, which is checked against its digest. */
  requestApproval(question: EngineApprovalRequest): Promise<EngineApprovalDecision>
}

export interface EngineApprovalRequest {
  readonly toolUseId: string
  readonly toolName: string
  readonly input: JsonObject
  readonly reason: string
}

export type EngineApprovalDecision =
  | { readonly decision: 'approved'; readonly input: JsonObject }
  | { readonly decision: 'denied'; readonly reason: string }

export type TurnEnd =
  | { readonly kind: 'completed'; readonly result?: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly message: string; readonly reason?: string; readonly transient?: boolean }
