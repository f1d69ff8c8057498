import type { GivenAnswer, HarnessApproval, HarnessClient, HarnessState } from '@bridle/client/index'
import { APPROVAL_ANSWERS, APPROVAL_QUESTION } from '../approvals/approval-question.ts'
import { type ArgumentDraft, type DraftEdit, newDraft } from '../approvals/argument-draft.ts'
import { commandName } from '../command/command-name.ts'
import { childCommand } from '../terminal/answer-command.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'
import { draftLines } from '../terminal/approval-text.ts'
import { decisionText } from '../terminal/conversation-text.ts'
import { cutToColumns } from '../terminal/display-width.ts'
import { escapeControls } from '../terminal/output.ts'
import { answerIn } from '../terminal/question.ts'
import { settledLines } from '../terminal/question-text.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'
import { ApprovalDesk, type ApprovalNews } from './approval-desk.ts'
import type { Paint } from './markdown/wrap.ts'
import { QuestionTalk } from './question-talk.ts'
import type { LinePrinter } from './thread/line-printer.ts'

/** Keys pressed this soon after a question appeared were meant for something else. */
export const QUESTION_ARM_MS = 400

export interface ApprovalTalkOptions {
  readonly client: HarnessClient
  readonly paint: Paint
  readonly printer: LinePrinter
  readonly edit: (draft: ArgumentDraft, signal: AbortSignal) => Promise<DraftEdit>
  readonly columns: () => number
  readonly note: (text: string) => void
  readonly sayError: (error: unknown) => void
  readonly readApproval: (approval: HarnessApproval) => Promise<HarnessApproval>
  readonly redraw: () => void
  readonly withoutWindow: (act: () => Promise<void>) => Promise<void>
}

export class ApprovalTalk {
  readonly #options: ApprovalTalkOptions
  readonly #desk = new ApprovalDesk()
  /** Bound to one approval, because an edit must never be sent with another. */
  #edit: { readonly id: string; readonly draft: ArgumentDraft } | null = null
  #question: QuestionTalk | null = null
  #unsent: { readonly id: string; readonly given: GivenAnswer } | null = null
  /** Complete child approvals. Null: loading or unreadable. */
  readonly #read = new Map<string, HarnessApproval | null>()
  #armedAt = 0
  readonly #shownDenials = new Set<string>()

  constructor(options: ApprovalTalkOptions) {
    this.#options = options
  }

  get isAsking(): boolean {
    return this.#desk.current !== null
  }

  get prompt(): string {
    return this.#question?.prompt ?? APPROVAL_QUESTION
  }

  isAnswer(text: string): boolean {
    return this.isAsking && (this.#question !== null || answerIn(text, APPROVAL_ANSWERS) !== null)
  }

  /** True if any text is an answer, even a path that looks like a command. */
  get takesText(): boolean {
    return this.isAsking && (this.#question?.takesText ?? false)
  }

  /** Approvals on hold because the input line contains text. */
  get waiting(): number {
    return this.isAsking ? 0 : this.#desk.waiting
  }

  /** False right after the question appeared, to ignore keys meant for something else. */
  get isArmed(): boolean {
    return Date.now() >= this.#armedAt
  }

  isDenialShown(approvalId: string): boolean {
    return this.#shownDenials.has(approvalId)
  }

  /** Reports answered approvals. Returns a function that asks the next one, to be called below the text that led to it. */
  update(state: HarnessState, mayAsk: boolean): () => void {
    const approvals = (state.approvals ?? []).flatMap((each) => this.#whole(each) ?? [])
    const { opened, closed } = this.#desk.update({ ...state, approvals }, mayAsk)
    this.#showAnswered(closed)
    return () => {
      if (opened) this.#ask(opened)
    }
  }

  /** Null until the complete approval is loaded, because a call must not be approved unseen. */
  #whole(approval: HarnessApproval): HarnessApproval | null {
    const { id } = approval
    const cut = cutApproval({ ...approval })
    if (cut === null) return approval
    const known = this.#read.get(id)
    if (known !== undefined) return known
    this.#read.set(id, null)
    const { readApproval, redraw, note } = this.#options
    void readApproval(approval).then((whole) => {
      if (cutApproval({ ...whole }) !== null) {
        const command = childCommand({ command: commandName(), nextFlags: '' }, cut)
        const asked = cut.isQuestion ? 'a question' : `for the approval of ${escapeInvisible(approval.toolName)}`
        return note(
          `The sub-agent ${escapeInvisible(cut.agent)}, session ${escapeInvisible(cut.id)}, asks ${asked}, too long to show here. Answer it with ${command}`,
        )
      }
      this.#read.set(id, whole)
      redraw()
    })
    return null
  }

  async answer(text: string): Promise<void> {
    const approval = this.#desk.current
    const answer = answerIn(text, APPROVAL_ANSWERS)
    if (!approval) return
    if (this.#question) return this.#answerQuestion(approval, this.#question, text)
    if (answer === null) return this.#options.note('Answer y, n or e; /cancel stops the run.')
    if (answer === 'e') return this.#openEditor(approval)
    const edit = answer === 'y' ? this.#edit : null
    const args = answer === 'y' ? this.#draftOf(approval)?.edited : null
    this.#edit = null
    // Keep the refused edit for correction, unless another approval is being edited.
    if (!(await this.#send(approval, answer === 'y' ? 'approved' : 'denied', { ...(args && { args }) })))
      this.#edit ??= edit
  }

  decline(): boolean {
    const approval = this.#desk.current
    if (!approval || !this.#question) return false
    void this.#send(approval, 'denied', {})
    return true
  }

  async #answerQuestion(approval: HarnessApproval, question: QuestionTalk, text: string): Promise<void> {
    const { paint, printer, note, columns } = this.#options
    const step = question.read(text)
    if ('problem' in step) return note(step.problem)
    const said = `› ${escapeInvisible(step.shown)}`
    printer.print('tool', [paint.style('dim', `  ${cutToColumns(said, columns() - 2)}`)])
    if (step.given === null) return this.#showQuestion(question)
    // Set before sending, because a reopened question may be asked immediately.
    this.#unsent = { id: approval.id, given: step.given }
    if (await this.#send(approval, 'approved', step.given)) this.#unsent = null
  }

  /** False if refused or disconnected. The approval stays open and is asked again. */
  async #send(approval: HarnessApproval, decision: 'approved' | 'denied', more: AnswerFields): Promise<boolean> {
    this.#desk.answer()
    this.#question = null
    try {
      await this.#options.client.approve(approval.id, decision, more)
      return true
    } catch (error) {
      this.#desk.reopen(approval.id)
      this.#options.sayError(error)
      return false
    }
  }

  #showQuestion(question: QuestionTalk): void {
    const { paint, printer, columns } = this.#options
    this.#armedAt = Date.now() + QUESTION_ARM_MS
    printer.print('tool', question.lines(columns(), paint.style))
  }

  async #openEditor(approval: HarnessApproval): Promise<void> {
    const { client, edit, note, withoutWindow } = this.#options
    const before = this.#draftOf(approval) ?? newDraft(approval.arguments)
    const gone = new AbortController()
    await withoutWindow(async () => {
      const unsubscribe = client.subscribe(() => {
        if (!client.getSnapshot().approvals?.some(({ id }) => id === approval.id)) gone.abort()
      })
      const { draft, remark } = await edit(before, gone.signal)
      unsubscribe()
      this.#edit = { id: approval.id, draft }
      if (remark !== null) note(remark)
      if (!gone.signal.aborted) this.#ask(approval)
    })
  }

  #draftOf({ id }: HarnessApproval): ArgumentDraft | null {
    return this.#edit?.id === id ? this.#edit.draft : null
  }

  #unsentFor({ id }: HarnessApproval): GivenAnswer | null {
    return this.#unsent?.id === id ? this.#unsent.given : null
  }

  #ask(approval: HarnessApproval): void {
    const { paint, printer, columns } = this.#options
    const { toolName, reason, arguments: args } = approval
    const request = requestOf({ ...approval })
    this.#question = request === null ? null : new QuestionTalk(request, reason, this.#unsentFor(approval))
    if (this.#question) return this.#showQuestion(this.#question)
    this.#armedAt = Date.now() + QUESTION_ARM_MS
    const draft = this.#draftOf(approval) ?? newDraft(args)
    printer.print('tool', draftLines({ subject: toolName, args, reason }, draft, columns(), paint.style))
  }

  #showAnswered(closed: ApprovalNews['closed']): void {
    const { paint, printer, columns } = this.#options
    for (const { approval, decision, given, isOwn } of closed) {
      if (decision === 'denied') this.#shownDenials.add(approval.id)
      if (requestOf({ ...approval }) !== null) {
        const reason = !isOwn && isOver(approval) ? 'expired' : null
        const settled = { decision: decision ?? (isOwn ? 'answered' : 'superseded'), reason, ...given }
        printer.print('tool', settledLines(settled, !isOwn, columns(), paint.style))
        continue
      }
      const mark = decision === 'approved' ? paint.style('green', '✓') : paint.style('yellow', '✗')
      printer.print('tool', [`${mark} ${cutToColumns(answerText(approval, decision, isOwn), columns() - 2)}`])
    }
  }
}

type AnswerFields = Parameters<HarnessClient['approve']>[2]

/** An expired question is answered by its default. */
const isOver = ({ expiresAt }: HarnessApproval): boolean =>
  typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now()

/** `decision` null: unknown, for example because the runner withdrew the question after a pause. */
export const answerText = ({ toolName }: HarnessApproval, decision: string | null, isOwn: boolean): string =>
  escapeControls(decisionText(toolName, decision ?? (isOwn ? 'answered' : 'superseded'), !isOwn))
