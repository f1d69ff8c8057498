import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import './filter-chip.css'

export interface FilterOption {
  readonly value: string
  readonly word: string
}

interface FilterChipProps {
  readonly label: string
  readonly value: string
  readonly options: readonly FilterOption[]
  /** The empty text removes the filter. */
  readonly onChange: (value: string) => void
}

/** A filter as a select of the platform in the look of a chip. */
export const FilterChip = ({ label, value, options, onChange }: FilterChipProps) => {
  const word = options.find((option) => option.value === value)?.word ?? value
  return (
    <span className={`chip filter${value === '' ? '' : ' on'}`}>
      <span className="filter-word trunc" aria-hidden="true">
        {value === '' ? label : `${label.toLowerCase()}: ${visibleText(word)}`}
        {value === '' && <Icon name="chevron-down" size={12} />}
      </span>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Any</option>
        {value !== '' && !options.some((option) => option.value === value) && (
          <option value={value}>{visibleText(value)}</option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {visibleText(option.word)}
          </option>
        ))}
      </select>
      {value !== '' && (
        <button type="button" aria-label={`Remove filter ${label.toLowerCase()}`} onClick={() => onChange('')}>
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  )
}
