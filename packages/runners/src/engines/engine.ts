// An engine plays turns: Claude Code, Codex. The runner keeps an engine open between turns. An engine that was closed resumes
// from its resume id, which costs only time.

import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import type { EngineInfo } from '@bridle/kernel/engine-info'
import type { ProviderName } from '../credentials/providers.ts'
import type { EngineSettings, RunnerEvent } from '../protocol/protocol.ts'
import type { RepositoryTexts } from '../repository/repository-texts.ts'
import type { EngineLauncher } from '../sandboxes/isolation/engine-start.ts'

/** Settings of one conversation of an engine. */
export interface EngineOptions {
  /** The folder in which the engine reads, writes and runs commands. */
  readonly workFolder: string
  /** The folder of the engine's transcripts, without which it cannot resume. */
  readonly stateFolder: string
  /** Files that came with prompts, which name them by their paths. Engines read this folder and cannot write it. */
  readonly filesFolder?: string
  /** The runner's notes about the engine. Programs in the sandbox cannot write here, so the runner trusts it. */
  readonly privateFolder: string
  /** Prepares the sandbox on first use. Rejects with a sentence to act on where no sandbox can be had. */
  readonly launcher: () => Promise<EngineLauncher>
  /** The `resume` of the conversation to continue; null = a new one. */
  readonly resume: string | null
  /** The model and the limits. */
  readonly settings: EngineSettings
  /** The texts of the repository in the work folder. Absent: the engine is given none. */
  readonly repository?: RepositoryTexts
  /** The engine adds this to its own system prompt, in every turn. */
  readonly instructions?: string
  /** The MCP servers of the first turn. */
  readonly mcp?: readonly EngineMcpServer[]
}

/** An MCP server as seen from an engine's sandbox. */
export type EngineMcpServer = {
  /** The server's name, which prefixes its tools. */
  readonly name: string
} & (
  | {
      /** The address at the relay, valid for one run. */
      readonly url: string
      /** Grants the engine's own permission question, because the server behind the address asks for approvals itself. */
      readonly approved?: true
      /** The reason why the relay could not connect to it. */
      readonly problem?: () => string | undefined
    }
  | {
      /** A program that the engine starts. It gets this environment, and a few variables such as PATH. */
      readonly command: string
      readonly args?: readonly string[] | undefined
      readonly env?: { readonly [name: string]: string } | undefined
      readonly cwd?: string | undefined
    }
)

/** A program that does the work of a turn, such as Claude Code or Codex. */
export interface Engine {
  /** The engine's name. */
  readonly name: string
  /** The engine's events and features. */
  readonly info: EngineInfo
  /** The model provider whose key it needs. */
  readonly provider: ProviderName
  /** A sentence that says what to install or set; null = the engine can run. */
  needs(): Promise<string | null>
  /** Opens a conversation, new or resumed. */
  open(options: EngineOptions): Promise<EngineSession>
}

/** An open engine; it plays one turn at a time. */
export interface EngineSession {
  /** The resume id of the conversation so far, different after every turn; null before the first. */
  readonly resume: string | null
  /** The engine's id of the conversation. */
  readonly sessionId: string | null
  /** True while the engine can play another turn. */
  readonly alive: boolean
  /**
   * Reports through `turn`. Never rejects: a failure is a `TurnEnd`. `continues`: the engine remembers the prompt and a part of
   * the work, and continues it.
   */
  play(prompt: string, turn: TurnReporter, continues?: boolean): Promise<TurnEnd>
  /** Ends the current turn. The session may stay alive. */
  interrupt(): Promise<void>
  /** Adds a message to the current turn. Rejects where there is none. */
  steer(text: string): Promise<void>
  /**
   * The MCP servers of the next turn, whose addresses change with each run. Absent = an engine with MCP servers is reopened for each
   * turn.
   */
  setMcpServers?(servers: readonly EngineMcpServer[]): void
  /** Stops one task of the turn. False = the turn has no task of this id. */
  stopTask?(taskId: string): Promise<boolean>
  /**
   * Ends every process but the engine's own, at the end of a turn. Returns the number of commands that were left; null = not all
   * of them could be ended.
   */
  endLeftovers?(): Promise<number | null>
  /** Ends the engine's process and every process that it started. Never hangs. */
  close(): Promise<void>
}

/** The prompt of a turn that continues in the middle. */
export const CONTINUE_PROMPT =
  'The work was stopped and goes on now. Continue from where you stopped. Do not repeat what is done already.'

/** The reporter of a turn: the engine reports events, waits and asks for approvals with it. */
export interface TurnReporter {
  /** Returns the number of the frame. */
  report(event: RunnerEvent): number
  /** Waits while too much is unread: a flood stops at its source. */
  waitForRoom(): Promise<void>
  /** Resolves when the caller has stored the frame; at once where the caller acknowledges nothing. */
  waitForAcknowledgement(frame: number): Promise<void>
  /** Reports `approval.required`, waits for the answer and checks it against its digest. */
  requestApproval(question: EngineApprovalRequest): Promise<EngineApprovalDecision>
}

export interface EngineApprovalRequest {
  readonly toolUseId: string
  readonly toolName: string
  readonly input: JsonObject
  readonly reason: string
  /** The engine makes the call with this input or not at all. */
  readonly fixed?: true
  /** A person answers this. Absent: a person approves the call. */
  readonly question?: QuestionRequest
}

export type EngineApprovalDecision =
  /** `given`: the answer to a question, which fits it. A caller that knows no questions gives none. */
  | { readonly decision: 'approved'; readonly input: JsonObject; readonly given?: GivenAnswer }
  /** `isRefused`: no person was asked. */
  | { readonly decision: 'denied'; readonly reason: string; readonly isRefused?: true }

/** The end of a turn: completed, interrupted or failed. */
export type TurnEnd =
  | { readonly kind: 'completed'; readonly result?: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly message: string; readonly reason?: string; readonly transient?: boolean }
