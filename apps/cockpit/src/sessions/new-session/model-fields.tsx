// The model and the effort of a new session, where its agent lets its sessions choose.
import type { AgentDescription } from 'bridle/client'
import { ChoiceSelect, untitled } from '../../ui/choice-select.tsx'

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
        <div className="col">
          <span className="small t2">Model</span>
          <ChoiceSelect
            {...{ className: 'field', label: 'Model', unchosen: 'default', value: choice.model, choices: models }}
            onChange={(model) => onChange({ ...choice, model })}
          />
        </div>
      )}
      {efforts.length > 0 && (
        <div className="col">
          <span className="small t2">Effort</span>
          <ChoiceSelect
            {...{ className: 'field', label: 'Effort', unchosen: 'default', value: choice.effort }}
            choices={untitled(efforts)}
            onChange={(effort) => onChange({ ...choice, effort })}
          />
        </div>
      )}
    </>
  )
}
