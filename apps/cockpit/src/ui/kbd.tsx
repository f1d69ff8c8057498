/** The caps of a key, or of keys that are pressed together (`Ctrl+Enter`). Screen readers hear the shortcut from the control itself. */
export const Kbd = ({ children }: { readonly children: string }) =>
  children.split('+').map((key) => (
    <span key={key} className="kbd" aria-hidden="true">
      {caps[key] ?? (key.length === 1 ? key.toUpperCase() : key)}
    </span>
  ))

const caps: { readonly [key: string]: string } = { Enter: '↵' }
