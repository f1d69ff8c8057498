import { useId } from 'react'
import { asArray, type RouteParameter } from './route.ts'

interface ParameterFieldProps {
  readonly parameter: RouteParameter
  readonly value: string
  readonly onChange: (value: string) => void
}

export const ParameterField = ({ parameter, value, onChange }: ParameterFieldProps) => {
  const { name, place, isRequired, description, schema } = parameter
  const options = asArray(schema.enum).map(String)
  const id = useId()
  return (
    <div className="parameter">
      <label className="col" htmlFor={id}>
        <span className="mono small trunc">
          {name}
          {isRequired && <span className="t3"> (required)</span>}
        </span>
        <span className="tiny t3">{place}</span>
      </label>
      <span className="col">
        {options.length > 0 ? (
          <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
            <option value="">not sent</option>
            {options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        ) : (
          <input id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)} />
        )}
        {description !== '' && <span className="tiny t3">{description}</span>}
      </span>
    </div>
  )
}
