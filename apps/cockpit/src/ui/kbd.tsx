/** A key cap. Screen readers hear the shortcut from the control itself. */
export const Kbd = ({ children }: { readonly children: string }) => (
  <span className="kbd" aria-hidden="true">
    {children}
  </span>
)
