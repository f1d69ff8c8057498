// An option of a question, with its explanation and its key.
import { Exact } from '../../ui/exact.tsx'
import { EndMark } from '../../ui/reading/end-mark.tsx'
import { ExactBlock } from '../exact-block.tsx'
import { isLongText } from './asked-text.tsx'

interface OptionRowProps {
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  readonly isMany: boolean
  readonly isChosen: boolean
  /** The option applies when the question expires. */
  readonly isDefault?: boolean
  /** The key that selects it; absent = none. */
  readonly keyHint?: string | undefined
  readonly isDisabled: boolean
  readonly onSelect: () => void
}

export const OptionRow = (props: OptionRowProps) => {
  const { name, label, description = '', isMany, isChosen, isDefault = false, keyHint, isDisabled, onSelect } = props
  const isLong = isLongText(description)
  return (
    <div className={`question-option${isChosen ? ' on' : ''}`}>
      <label>
        <input
          type={isMany ? 'checkbox' : 'radio'}
          name={name}
          checked={isChosen}
          disabled={isDisabled}
          aria-keyshortcuts={keyHint}
          onChange={onSelect}
        />
        <span className="col">
          <span className="medium exact">
            <Exact text={label} />
            <EndMark of={`${name} ${label}\n${description}`} />
          </span>
          {(isDefault || (description !== '' && !isLong)) && (
            <span className="small t2 exact">
              {!isLong && <Exact text={description} />}
              {description !== '' && !isLong && isDefault && ' · '}
              {isDefault && 'default if the question expires'}
            </span>
          )}
        </span>
        {keyHint !== undefined && (
          <span className="kbd no-phone" aria-hidden="true">
            {keyHint}
          </span>
        )}
      </label>
      {isLong && <ExactBlock text={description} label={`About ${label}`} />}
    </div>
  )
}
