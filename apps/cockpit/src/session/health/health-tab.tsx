export const HealthTab = () => null
