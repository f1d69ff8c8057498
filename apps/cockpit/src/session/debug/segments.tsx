interface SegmentsProps<T extends string> {
  readonly label: string
  readonly options: readonly T[]
  readonly selected: T
  readonly onSelect: (option: T) => void
}

/** A choice between a few words. */
export const Segments = <T extends string>({ label, options, selected, onSelect }: SegmentsProps<T>) => (
  <fieldset className="seg">
    <legend className="vh">{label}</legend>
    {options.map((option) => (
      <button
        key={option}
        type="button"
        className={option === selected ? 'on' : ''}
        aria-pressed={option === selected}
        onClick={() => onSelect(option)}
      >
        {option}
      </button>
    ))}
  </fieldset>
)
