// The model and the effort of a new session, where its agent lets its sessions choose.
import type { AgentDescription } from 'bridle/client'
import { visibleText } from '../../ui/plain-text.ts'

export interface ModelChoice {
  /** Empty = the agent's own. */
  readonly model: string
  readonly effort: string
}

export const noModelChoice: ModelChoice = { model: '', effort: '' }

interface ModelFieldsProps {
  readonly agent: AgentDescription
  readonly choice: ModelChoice
  readonly onChange: (choice: ModelChoice) => void
}

export const ModelFields = ({ agent, choice, onChange }: ModelFieldsProps) => {
  const { model_choices: models = [], efforts = [] } = agent
  return (
    <>
      {models.length > 0 && (
        <label className="col">
          <span className="small t2">Model</span>
          <select
            className="field"
            value={choice.model}
            onChange={(event) => onChange({ ...choice, model: event.target.value })}
          >
            <option value="">default</option>
            {models.map(({ id, title }) => (
              <option key={id} value={id}>
                {visibleText(title)}
              </option>
            ))}
          </select>
        </label>
      )}
      {efforts.length > 0 && (
        <label className="col">
          <span className="small t2">Effort</span>
          <select
            className="field"
            value={choice.effort}
            onChange={(event) => onChange({ ...choice, effort: event.target.value })}
          >
            <option value="">default</option>
            {efforts.map((effort) => (
              <option key={effort} value={effort}>
                {visibleText(effort)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}
