// A replay against a change: the prompts of the session, asked again of another model, under another policy, or of the agent as it is now.
import type { HarnessMessage, ReplayRequest } from 'bridle/client'
import { plural } from 'bridle/words'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { randomText } from '../../../server/random-text.ts'
import { useServer } from '../../../server/server-context.tsx'
import { sessionPath } from '../../../shell/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { foldScript } from '../../../ui/script-text.ts'
import { useSession } from '../../session-context.tsx'
import { ReplayField } from './replay-field.tsx'

/** Prompts that a session queues: the server's own limit. */
const REPLAY_PROMPTS_MAX = 100

interface ReplayForm {
  readonly model: string
  readonly thinkLevel: string
  readonly mode: '' | 'normal' | 'plan'
  readonly costUsd: string
  readonly minutes: string
  readonly from: string
  readonly title: string
}

const EMPTY: ReplayForm = { model: '', thinkLevel: '', mode: '', costUsd: '', minutes: '', from: '', title: '' }

const ReplayDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { client } = useServer()
  const { id, agent, detail, harness } = useSession()
  const [, navigate] = useLocation()
  const [form, setForm] = useState(EMPTY)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  // The same request twice is one branch; another request is another.
  const [key, setKey] = useState(randomText)
  const prompts = askedPrompts(harness.getSnapshot().messages)
  const set = (change: Partial<ReplayForm>): void => {
    setForm((before) => ({ ...before, ...change }))
    setKey(randomText())
  }
  const first = Math.max(
    0,
    prompts.findIndex((prompt) => prompt.id === form.from),
  )
  const count = prompts.length - first
  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setProblem('')
    try {
      const request = requestOf(form)
      const made = await client.replay(id, {
        ...request,
        agent,
        idempotencyKey: key,
      })
      navigate(sessionPath({ id: made.id, agent }, { view: 'branches', a: id, b: made.id }))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title="Run again with a change" onClose={onClose}>
      <form className="dialog-b col branch-form" onSubmit={(event) => void run(event)}>
        <p className="t2">
          A branch in which {count === 1 ? 'the prompt is' : `${count} prompts are`} asked again, in order. Then both
          stand side by side. Without a change, the agent answers as its code is now.
        </p>
        <ReplayField
          label={`Model (default: ${detail.model ? visibleText(detail.model) : 'that of the agent'})`}
          placeholder="provider/model-id, or a name of the engine"
          value={form.model}
          onChange={(model) => set({ model })}
        />
        <div className="row wrap branch-pair">
          <ReplayField
            label="Ask me at a cost of (USD)"
            isNumber
            value={form.costUsd}
            onChange={(costUsd) => set({ costUsd })}
          />
          <ReplayField
            label="Ask me after (minutes)"
            isNumber
            value={form.minutes}
            onChange={(minutes) => set({ minutes })}
          />
        </div>
        <div className="row wrap branch-pair">
          <ReplayField
            label="Think level"
            placeholder="as it is"
            value={form.thinkLevel}
            onChange={(thinkLevel) => set({ thinkLevel })}
          />
          <label className="col">
            <span className="small t2">Mode</span>
            <select
              className="field"
              value={form.mode}
              onChange={(event) => set({ mode: event.target.value as ReplayForm['mode'] })}
            >
              <option value="">as it is</option>
              <option value="normal">normal</option>
              <option value="plan">plan only</option>
            </select>
          </label>
        </div>
        {prompts.length > 1 && (
          <label className="col">
            <span className="small t2">Begin with</span>
            <select className="field" value={form.from} onChange={(event) => set({ from: event.target.value })}>
              <option value="">the first prompt</option>
              {prompts
                .slice(1)
                .filter(beginsTurn(prompts))
                .map((prompt) => (
                  <option key={prompt.id} value={prompt.id}>
                    {visibleText(foldScript(prompt.content)).slice(0, 80)}
                  </option>
                ))}
            </select>
          </label>
        )}
        <ReplayField
          label="Title (default: that of the session)"
          value={form.title}
          onChange={(title) => set({ title })}
        />
        <p className="warn">
          Tools run again, with all their effects, and cost is paid again. Approvals are asked again.
        </p>
        {count > REPLAY_PROMPTS_MAX && (
          <p className="danger">
            {plural(count, 'prompt')}: at most {REPLAY_PROMPTS_MAX} can be asked at once. Begin with a later one.
          </p>
        )}
        {problem !== '' && (
          <p className="danger" role="alert">
            {visibleText(problem)}
          </p>
        )}
        <div className="row">
          <Button type="submit" look="primary" isBusy={isBusy} isDisabled={count === 0 || count > REPLAY_PROMPTS_MAX}>
            Run {plural(count, 'prompt')} again
          </Button>
          <Button look="ghost" onClick={onClose}>
            Discard
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The prompts of turns that began, and those that steered them: all of them are asked again. */
const askedPrompts = (messages: readonly HarnessMessage[]): readonly HarnessMessage[] => {
  const answered = new Set(messages.flatMap(({ role, runId }) => (role === 'assistant' ? [runId] : [])))
  return messages.filter(({ role, runId }) => role === 'user' && answered.has(runId))
}

/** A replay begins with the prompt of a turn: the server refuses one that steered it. */
const beginsTurn =
  (prompts: readonly HarnessMessage[]) =>
  (prompt: HarnessMessage): boolean =>
    prompts.find(({ runId }) => runId === prompt.runId) === prompt

const requestOf = ({ model, thinkLevel, mode, costUsd, minutes, from, title }: ReplayForm): ReplayRequest => {
  const health = {
    ...(costUsd !== '' && { max_cost_usd: Number(costUsd) }),
    ...(minutes !== '' && { max_runtime_minutes: Number(minutes) }),
  }
  const settings = {
    ...(thinkLevel.trim() !== '' && { think_level: thinkLevel.trim() }),
    ...(mode !== '' && { permission_mode: mode }),
  }
  return {
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(Object.keys(health).length > 0 && { policy: { health } }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(from !== '' && { from_message: from }),
    ...(title.trim() !== '' && { title: title.trim() }),
  }
}

export default ReplayDialog
