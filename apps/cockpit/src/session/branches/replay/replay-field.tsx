interface ReplayFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly isNumber?: boolean
}

export const ReplayField = ({ label, value, onChange, placeholder, isNumber = false }: ReplayFieldProps) => (
  <label className="col">
    <span className="small t2">{label}</span>
    <input
      className="field"
      {...(isNumber ? { type: 'number', min: '0', step: 'any', placeholder: 'as it is' } : { placeholder })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)
