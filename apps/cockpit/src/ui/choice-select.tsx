import { visibleText } from './plain-text.ts'

interface ChoiceSelectProps {
  readonly className: string
  readonly label: string
  readonly title?: string
  /** Empty: the first option, which leaves the choice to the agent. */
  readonly value: string
  readonly unchosen: string
  readonly choices: readonly { readonly id: string; readonly title: string }[]
  readonly onChange: (id: string) => void
}

export const ChoiceSelect = ({ className, label, title, value, unchosen, choices, onChange }: ChoiceSelectProps) => (
  <select
    className={className}
    aria-label={label}
    title={title}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  >
    <option value="">{visibleText(unchosen)}</option>
    {choices.map((choice) => (
      <option key={choice.id} value={choice.id}>
        {visibleText(choice.title)}
      </option>
    ))}
  </select>
)

export const untitled = (ids: readonly string[]) => ids.map((id) => ({ id, title: id }))
