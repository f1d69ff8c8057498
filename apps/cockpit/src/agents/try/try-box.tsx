// A box to try an agent: its input as a form, or as JSON, or a prompt where its input has no schema.
import type { AgentDescription } from 'bridle/client'
import { type FormEvent, useMemo, useState } from 'react'
import { CANNOT_OPERATE, useCan } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { jsonText } from '../../ui/code.tsx'
import { formFields, type JsonValue } from '../schema-form/form-field.ts'
import { type FormDrafts, type FormProblem, formValue, initialDrafts, readJson } from '../schema-form/form-value.ts'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { isOver } from './run-answer.ts'
import { TryAnswer } from './try-answer.tsx'
import { useTryRun } from './use-try-run.ts'

/** An agent without a schema takes a prompt. */
const promptSchema = {
  type: 'object',
  properties: { prompt: { type: 'string', title: 'Prompt' } },
  required: ['prompt'],
}

export const TryBox = ({ agent }: { readonly agent: AgentDescription }) => {
  const schema = agent.input_schema ?? promptSchema
  const fields = useMemo(() => formFields(schema) ?? [], [schema])
  const [drafts, setDrafts] = useState<FormDrafts>(() => initialDrafts(fields))
  const [problems, setProblems] = useState<readonly FormProblem[]>([])
  const [json, setJson] = useState<string | null>(fields.length === 0 ? '{}' : null)
  const { run, start } = useTryRun(agent.name)
  const canOperate = useCan('operate')
  const isBusy = run !== null && !isOver(run.answer)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = json === null ? formValue(fields, drafts) : readInput(json)
    setProblems(read.problems)
    const [first] = read.problems
    if (first) document.getElementById(`field-${first.id}`)?.focus()
    else void start(read.value)
  }
  return (
    <form className="try-box" onSubmit={submit} noValidate>
      {json === null ? (
        <SchemaForm
          fields={fields}
          drafts={drafts}
          problems={problems}
          onChange={(id, draft) => setDrafts((before) => ({ ...before, [id]: draft }))}
        />
      ) : (
        <label className="col">
          <span className="small t2">Input as JSON</span>
          <textarea
            id="field-json"
            className="field area mono"
            rows={8}
            value={json}
            aria-invalid={problems.length > 0 || undefined}
            onChange={(event) => setJson(event.target.value)}
          />
          {problems[0] && <span className="small danger">{problems[0].message}</span>}
        </label>
      )}
      <div className="row">
        <Button
          type="submit"
          look="primary"
          icon="play"
          isBusy={isBusy}
          isDisabled={!agent.available || !canOperate}
          {...(!canOperate ? { title: CANNOT_OPERATE } : agent.needs !== undefined && { title: agent.needs })}
        >
          Try
        </Button>
        {fields.length > 0 && (
          <Button
            look="ghost"
            onClick={() => setJson(json === null ? jsonText(formValue(fields, drafts).value) : null)}
          >
            {json === null ? 'Edit as JSON' : 'Back to the form'}
          </Button>
        )}
      </div>
      {run && <TryAnswer agent={agent.name} run={run} />}
    </form>
  )
}

const readInput = (text: string): { readonly value: JsonValue; readonly problems: readonly FormProblem[] } => {
  const read = readJson(text)
  return typeof read === 'string'
    ? { value: null, problems: [{ id: 'json', message: read }] }
    : { value: read.value, problems: [] }
}
