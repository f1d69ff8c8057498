// A chat on a terminal: prompts, streaming answers, approvals in place, and slash commands.

import { stripVTControlCharacters } from 'node:util'
import { type HarnessConnection, HarnessError } from '@bridle/client/index'
import { editDraft } from '../approvals/argument-draft.ts'
import { wholeHarnessApproval } from '../approvals/child-approval.ts'
import { explainError } from '../errors/explain-error.ts'
import { refusalText } from '../errors/refusal-text.ts'
import type { TurnChoice } from '../runs/model-option.ts'
import type { ServerConnection } from '../runs/server-connection.ts'
import { workspaceNote } from '../runs/workspace-note.ts'
import type { FolderChoice } from '../runs/workspace-option.ts'
import { cutToColumns, displayWidth } from '../terminal/display-width.ts'
import { type CliOutput, escapeControls, oneLine } from '../terminal/output.ts'
import { ApprovalTalk } from './approval-talk.ts'
import { ChatLink } from './chat-link.ts'
import { type ChatTarget, createTarget } from './chat-target.ts'
import type { EarlyKeys } from './input/early-keys.ts'
import type { TerminalKey } from './input/keys.ts'
import type { EditorEvent } from './input/line-editor.ts'
import type { PromptHistory } from './input/prompt-history.ts'
import { plainRows } from './markdown/wrap.ts'
import { ChatWindow, type WindowView } from './screen/chat-window.ts'
import { type ChatControl, completeSlash, isSlashCommand, runSlashCommand } from './slash-commands.ts'
import { deliveryText, promptRows, statusText } from './status-text.ts'
import { ChatThread, errorRows } from './thread/chat-thread.ts'
import { LinePrinter } from './thread/line-printer.ts'

export interface TerminalChatOptions {
  readonly connection: ServerConnection
  readonly tenant: string | undefined
  readonly target: ChatTarget
  /** The model and the effort of the first turns. */
  readonly choice: TurnChoice
  readonly workspace: FolderChoice | null
  readonly history: PromptHistory
  readonly earlyKeys: EarlyKeys
  readonly env: NodeJS.ProcessEnv
  readonly out: CliOutput
}

export interface ChatEnd {
  readonly target: ChatTarget
  readonly isEmpty: boolean
  readonly isRunning: boolean
  readonly unsent: readonly string[]
}

/** A question in the input line that is not about an approval. */
interface OpenQuestion {
  readonly text: string
  readonly answer: (text: string | null) => void
}

export class TerminalChat {
  readonly #options: TerminalChatOptions
  readonly #printer = new LinePrinter()
  readonly #window: ChatWindow
  readonly #ended = Promise.withResolvers<ChatEnd>()
  readonly #paint
  #choice: TurnChoice
  #link: ChatLink
  #thread: ChatThread
  #approvals: ApprovalTalk
  #question: OpenQuestion | null = null
  #showsThinking = false
  #isAway = false
  #isStopping = false
  #isLeaving = false
  #isSuspended = false
  /** Unprinted outcomes of steering prompts, by message. */
  readonly #remarks = new Map<string, unknown>()
  #ticking: NodeJS.Timeout | undefined

  constructor(options: TerminalChatOptions) {
    this.#options = options
    this.#choice = options.choice
    const { style } = options.out
    this.#paint = { style, hasColour: style('bold', 'x') !== 'x' }
    this.#window = new ChatWindow({
      printer: this.#printer,
      history: options.history,
      view: (columns) => this.#view(columns),
      onEvent: (event) => this.#handle(event),
      acceptsKey: (key) => this.#acceptsKey(key),
      onForeignOutput: (text) =>
        this.#note(...stripVTControlCharacters(text).trimEnd().split('\n').map(escapeControls)),
      onEnd: () => this.leave(),
    })
    this.#thread = this.#newThread()
    this.#link = this.#open(options.target)
    this.#approvals = this.#newApprovals()
  }

  async run(): Promise<ChatEnd> {
    const handlers = {
      SIGTERM: () => this.leave(),
      SIGHUP: () => this.leave(),
      SIGINT: () => {},
      SIGCONT: this.#continue,
    }
    for (const [name, handler] of Object.entries(handlers)) process.on(name, handler)
    this.#note(...greeting(this.#options.target))
    this.#window.start()
    this.#window.feed(this.#options.earlyKeys.take())
    void this.#sayPlace(this.#options.target)
    this.#ticking = setInterval(() => this.#link.isRunning && this.#window.redraw(), 1000)
    try {
      return await this.#ended.promise
    } finally {
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
      clearInterval(this.#ticking)
      this.#keepLiveRows()
      this.#window.stop()
      this.#link.close()
    }
  }

  leave(): void {
    const { target, client, state } = this.#link
    const unsent = client.held.map(({ prompt }) => prompt)
    this.#ended.resolve({ target, unsent, isRunning: this.#link.isRunning, isEmpty: state.messages.length === 0 })
  }

  /** Prints the visible part of an answer for good, even if the rest arrives later. */
  #keepLiveRows(): void {
    this.#printer.print('text', this.#thread.liveRows(this.#link.state, this.#window.columns))
  }

  #open(target: ChatTarget): ChatLink {
    return new ChatLink(this.#options.connection, this.#options.tenant, target, {
      onChange: () => this.#window.redraw(),
      onConnection: (connection) => this.#connectionChanged(connection),
      onNotice: (text) => this.#note(`· ${text}`),
    })
  }

  #newThread(): ChatThread {
    const onTurnEnd = async () => {
      const { target } = this.#link
      const cost = await this.#link.turnCost()
      if (cost !== null && target === this.#link.target) this.#note(cost)
      // Redraw last: the thread continues only once the cost is printed.
      this.#window.redraw()
    }
    const options = {
      paint: this.#paint,
      now: Date.now,
      showsThinking: () => this.#showsThinking,
      isDenialShown: (approvalId: string) => this.#approvals.isDenialShown(approvalId),
      onTurnEnd,
      remarkOf: (id: string, isStopped: boolean) =>
        this.#remarks.has(id) ? (deliveryText(this.#remarks.get(id), isStopped) ?? undefined) : undefined,
    }
    return new ChatThread(options, this.#printer)
  }

  async #switchTo(target: ChatTarget): Promise<void> {
    const old = this.#link
    const isEmpty = old.target.isNew && old.state.messages.length === 0
    old.close()
    this.#thread = this.#newThread()
    this.#isAway = false
    this.#link = this.#open(target)
    this.#approvals = this.#newApprovals()
    this.#note(greeting(target)[0] ?? '')
    void this.#sayPlace(target)
    if (isEmpty) await this.#options.connection.fabric.remove(old.target.agent, old.target.id).catch(() => {})
  }

  /** Says where the agent works, so that its changes are not searched for in the current folder. */
  async #sayPlace(target: ChatTarget): Promise<void> {
    const card = await this.#options.connection.fabric.session(target.id, target.agent).catch(() => null)
    const place = card && workspaceNote(card)
    if (place !== null && target === this.#link.target) this.#note(...place.split('\n').map(escapeControls))
  }

  #view(columns: number): WindowView {
    const { state, client } = this.#link
    // Ask only while the input line is empty: half a sentence must not become an answer. The question goes below the text
    // that led to it, and its answer above what follows.
    const askNext = this.#approvals.update(state, this.#window.text === '' && !this.#question)
    if (this.#link.isOpen || this.#isAway) this.#thread.update(state, columns)
    askNext()
    if (!this.#link.isRunning) this.#isStopping = false
    const held = client.held.map(({ prompt }) =>
      this.#paint.style('dim', `› ${cutToColumns(oneLine(prompt), columns - 10)} (held)`),
    )
    const status = this.#statusRow(columns)
    const { text, colour } = this.#prompt()
    const { above, prompt } = promptRows(text, columns)
    return {
      rows: [...this.#thread.liveRows(state, columns), ...held, '', ...(status === null ? [] : [status]), ...above],
      prompt: { text: this.#paint.style(colour, prompt), columns: displayWidth(prompt) },
    }
  }

  #prompt(): { readonly text: string; readonly colour: ['bold', 'yellow'] | ['bold', 'cyan'] } {
    if (this.#question) return { text: this.#question.text, colour: ['bold', 'yellow'] }
    return this.#approvals.isAsking
      ? { text: this.#approvals.prompt, colour: ['bold', 'yellow'] }
      : { text: '› ', colour: ['bold', 'cyan'] }
  }

  #statusRow(columns: number): string | null {
    const text = statusText({
      isAway: this.#isAway,
      isStopping: this.#isStopping,
      isLeaving: this.#isLeaving,
      waitingApprovals: this.#approvals.waiting,
      isRunning: this.#link.isRunning,
      sessionStatus: this.#link.state.sessionStatus,
      elapsedMs: this.#link.elapsedMs,
    })
    return text === null ? null : this.#paint.style('dim', cutToColumns(text, columns))
  }

  #acceptsKey(key: TerminalKey): boolean {
    return this.#approvals.isArmed || (key.type === 'key' && key.name === 'interrupt')
  }

  #handle(event: EditorEvent): void {
    if (event.type !== 'interrupt') this.#isLeaving = false
    switch (event.type) {
      case 'submit':
        return this.#submit(event.text)
      case 'escape':
        return this.#question ? this.#answerQuestion(null) : this.#stop()
      case 'interrupt':
        return this.#interrupt()
      case 'end-of-input':
        return this.leave()
      case 'clear-screen':
        return this.#window.clear()
      case 'suspend':
        return this.#suspend()
      case 'tab':
        return this.#complete()
    }
  }

  #interrupt(): void {
    if (this.#question) return this.#answerQuestion(null)
    if (this.#link.isRunning && this.#link.isOpen && !this.#isStopping) return this.#stop()
    if (this.#window.text !== '') return this.#window.setText('')
    if (this.#isLeaving) return this.leave()
    this.#isLeaving = true
  }

  #stop(): void {
    if (!this.#link.isRunning) return
    this.#isStopping = true
    this.#link.client.cancel().catch((error: unknown) => {
      this.#isStopping = false
      this.#sayError(error)
    })
  }

  #submit(text: string): void {
    const isCommand = text.startsWith('/') && (isSlashCommand(text) || !this.#approvals.takesText)
    if (this.#question) {
      this.#answerQuestion(isCommand ? null : text)
      if (!isCommand) return
    }
    const isAnswer = this.#approvals.isAsking && !isCommand
    // Keep text that was not an answer in the history.
    if (!isAnswer || !this.#approvals.isAnswer(text)) this.#options.history.add(text)
    if (isAnswer) return void this.#approvals.answer(text)
    if (text.trim() === '') return
    if (isCommand) {
      this.#note(`› ${oneLine(text)}`)
      void runSlashCommand(this.#control(), text).catch((error: unknown) => this.#sayError(error))
    } else void this.#send(text)
  }

  /** Steers the answer in progress if the engine can, otherwise queues the prompt. */
  async #send(text: string): Promise<void> {
    const { client, isRunning, isOpen } = this.#link
    try {
      const isSteer = isRunning && isOpen
      const { delivery, messageId } = await (isSteer ? client.steer(text) : client.submit(text, this.#choice))
      const remark = isSteer ? deliveryText(delivery, !this.#link.isRunning) : null
      const isWaiting = delivery === 'steered' && !this.#thread.isPrinted(String(messageId))
      if (remark !== null && isWaiting) this.#remarks.set(String(messageId), delivery)
      else if (remark !== null) this.#note(remark)
    } catch (error) {
      this.#sayError(error)
      if (this.#window.text === '') this.#window.setText(text)
    }
  }

  #newApprovals(): ApprovalTalk {
    return new ApprovalTalk({
      client: this.#link.client,
      paint: this.#paint,
      printer: this.#printer,
      edit: (draft, signal) => editDraft(draft, this.#options.env, signal),
      columns: () => this.#window.columns,
      note: (text) => this.#note(text),
      sayError: (error) => this.#sayError(error),
      readApproval: (approval) => wholeHarnessApproval(this.#options.connection.plain, approval),
      redraw: () => this.#window.redraw(),
      withoutWindow: async (act) => {
        this.#window.stop()
        await act()
        this.#window.start()
      },
    })
  }

  #answerQuestion(text: string | null): void {
    const question = this.#question
    this.#question = null
    question?.answer(text)
    this.#window.redraw()
  }

  #complete(): void {
    const { text, choices } = completeSlash(this.#window.text)
    if (text !== this.#window.text) this.#window.setText(text)
    else if (choices.length > 0) this.#note(choices.join('  '))
  }

  #suspend(): void {
    this.#isSuspended = true
    this.#window.stop()
    process.kill(process.pid, 'SIGTSTP')
  }

  readonly #continue = (): void => {
    if (!this.#isSuspended) return
    this.#isSuspended = false
    this.#window.start()
  }

  #connectionChanged({ phase, error }: HarnessConnection): void {
    if (phase === 'reconnecting' && !this.#isAway) {
      this.#isAway = true
      this.#note('The server is away; trying again. A prompt is held until it is back.')
    }
    if (phase === 'open' && this.#isAway) {
      this.#isAway = false
      this.#note('It is back.')
    }
    if (phase === 'closed' && error) {
      this.#isAway = false
      if (error.code === 'session_removed') {
        this.#sayError(error)
        this.#note('The session was removed; /new starts another.')
      } else void this.#sayRefusal(error)
    }
    this.#window.redraw()
  }

  /** The refusal is permanent. A plain request is refused too, with an error that other verbs can explain. */
  async #sayRefusal(error: HarnessError): Promise<void> {
    const { id, agent } = this.#link.target
    const refusal = await this.#options.connection.fabric.session(id, agent).then(
      () => null,
      (reason: unknown) => reason,
    )
    this.#sayError(refusal === null ? error : new Error(explainError(refusal).message))
    this.#note('This chat cannot go on; Ctrl+D leaves.')
  }

  #control(): ChatControl {
    const { connection } = this.#options
    const { target, client } = this.#link
    return {
      fabric: connection.fabric,
      client,
      id: target.id,
      agent: target.agent,
      columns: this.#window.columns,
      ownData: connection.ownData,
      say: (...lines) => this.#note(...lines),
      ask: (text) =>
        new Promise((answer) => {
          this.#question = { text, answer }
          this.#window.redraw()
        }),
      switchTo: ({ id, agent }) => void this.#switchTo({ id, agent, isNew: false }),
      startNew: async () =>
        this.#switchTo(await createTarget(connection.fabric, target.agent, this.#options.workspace)),
      toggleThinking: () => {
        this.#showsThinking = !this.#showsThinking
        return this.#showsThinking
      },
      decline: () => this.#approvals.decline(),
      choice: this.#choice,
      choose: (choice) => (this.#choice = choice),
      leave: () => this.leave(),
    }
  }

  #note(...lines: string[]): void {
    this.#printer.print(
      'note',
      lines
        // Never break addresses and paths: the terminal copies them whole only if it wraps them itself.
        .flatMap((line) => (line.trim().includes(' ') ? plainRows(line, this.#window.columns, this.#paint) : [line]))
        .map((row) => this.#paint.style('dim', row)),
    )
    this.#window.redraw()
  }

  #sayError(error: unknown): void {
    const code = error instanceof HarnessError ? error.code : ''
    const text = lostWords[code] ?? (error instanceof Error ? refusalText(error) : String(error))
    this.#printer.print('note', errorRows(escapeControls(text), this.#window.columns, this.#paint))
    this.#window.redraw()
  }
}

const greeting = ({ agent, id, isNew }: ChatTarget): string[] => [
  `${agent}, ${isNew ? 'new session' : 'session'} ${id}`,
  '/help lists the commands; Ctrl+D leaves.',
]

const lostWords: { readonly [code: string]: string } = {
  not_sent: 'The server is away, so this was not sent. Try again when it is back.',
  unknown_outcome: 'The connection was lost before the server answered. Look at what the session shows, and try again.',
}
