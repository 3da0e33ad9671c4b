/**
 * Password strength, judged like the last nodes that had passwords, so that the same passwords are accepted and
 * refused. Pure: the word lists come with a package and are read on first use.
 */
export { isStrongPassword, passwordProblem } from './password-problem.ts'
export { type PasswordStrength, passwordStrength } from './strength.ts'
