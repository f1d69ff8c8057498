import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { sessionPath } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { noFiles } from './files-choice.ts'
import { FilesFields } from './files-fields.tsx'
import { ModelFields, noModelChoice } from './model-fields.tsx'
import { type NewSessionForm, startSession } from './start-session.ts'

const empty: NewSessionForm = {
  agent: '',
  kind: 'chat',
  title: '',
  prompt: '',
  files: noFiles,
  choice: noModelChoice,
  costUsd: '',
  minutes: '',
}

export const NewSessionDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { client } = useServer()
  const [, navigate] = useLocation()
  const agents = useLoaded('agents', async () => (await client.agents()).agents)
  // A server without workspaces, or one that does not tell, has no such fields.
  const offer = useLoaded('workspaces', () => client.workspaces())
  const [form, setForm] = useState(empty)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const prompt = useRef<HTMLTextAreaElement>(null)
  // The dialog gives its first control the focus, which is the one that closes it.
  useEffect(() => prompt.current?.focus(), [])
  const set = (fields: Partial<NewSessionForm>): void => setForm((before) => ({ ...before, ...fields }))
  const agent = form.agent || (agents.data?.find(({ available }) => available)?.name ?? '')
  const chosen = agents.data?.find(({ name }) => name === agent)
  // The server refuses a session of such an agent.
  const offWhy =
    chosen?.available === false ? visibleText(`This agent is not ready. ${chosen.needs ?? ''}`.trimEnd()) : null
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      const session = await startSession(client, { ...form, agent })
      navigate(sessionPath(session))
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Dialog title="New session" onClose={onClose}>
      <form className="dialog-b new-session" onSubmit={(event) => void start(event)}>
        <label className="col">
          <span className="small t2">Agent</span>
          <select
            className="field"
            value={agent}
            onChange={(event) => set({ agent: event.target.value, choice: noModelChoice })}
          >
            {(agents.data ?? []).map(({ name, available }) => (
              <option key={name} value={name}>
                {available ? name : `${name} (not ready)`}
              </option>
            ))}
          </select>
        </label>
        {chosen && <p className="small t3">{chosen.needs ?? chosen.description}</p>}
        <fieldset className="seg kind">
          <legend className="vh">Kind</legend>
          {(['chat', 'background'] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              className={form.kind === kind ? 'on' : ''}
              aria-pressed={form.kind === kind}
              onClick={() => set({ kind })}
            >
              {kind === 'chat' ? 'Chat' : 'Background work'}
            </button>
          ))}
        </fieldset>
        <label className="col">
          <span className="small t2">Prompt</span>
          <textarea
            ref={prompt}
            className="field area"
            rows={4}
            required={form.kind === 'background'}
            placeholder={form.kind === 'chat' ? 'Ask now, or open the session and ask there' : 'The work to do'}
            value={form.prompt}
            onChange={(event) => set({ prompt: event.target.value })}
          />
        </label>
        <label className="col">
          <span className="small t2">Title (default: the beginning of the prompt)</span>
          <input className="field" value={form.title} onChange={(event) => set({ title: event.target.value })} />
        </label>
        <div className="row wrap new-session-limits">
          {chosen && <ModelFields agent={chosen} choice={form.choice} onChange={(choice) => set({ choice })} />}
          {offer.data && offer.data.modes.length > 0 && (
            <FilesFields offer={offer.data} files={form.files} onChange={(files) => set({ files })} />
          )}
          <NumberField
            label="Ask me at a cost of (USD)"
            value={form.costUsd}
            onChange={(costUsd) => set({ costUsd })}
          />
          <NumberField label="Ask me after (minutes)" value={form.minutes} onChange={(minutes) => set({ minutes })} />
        </div>
        {problem !== '' && (
          <p className="danger" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            isBusy={isBusy}
            isDisabled={agent === '' || offWhy !== null}
            {...(offWhy !== null && { title: offWhy })}
          >
            Start
          </Button>
          <Button look="ghost" onClick={onClose}>
            Discard
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

const NumberField = ({ label, value, onChange }: NumberFieldProps) => (
  <label className="col">
    <span className="small t2">{label}</span>
    <input
      className="field"
      type="number"
      min="0"
      step="any"
      placeholder="no limit"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)
