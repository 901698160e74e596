/*
 * What calls change: fields with getters and without, static ones, other objects, arrays.
 */
package shop;

import java.util.ArrayList;
import java.util.List;

class Ledger {
    enum State { OPEN, CLOSED }

    private static int asked;

    int balance;
    String note = "";
    private State state = State.OPEN;
    private final List<String> log = new ArrayList<>();
    private Integer limit;

    State getState() {
        return state;
    }

    Integer getLimit() {
        return limit;
    }

    List<String> getLog() {
        return log;
    }

    void pay(int amount) {
        if (amount > 0) {
            balance += amount;
            note = "paid";
            log.add("pay " + amount);
        }
    }

    void close(int cap) {
        state = State.CLOSED;
        if (cap > 10) {
            limit = cap;
        }
    }

    void into(Ledger other) {
        if (other != this && balance > 2) {
            other.balance = balance;
            balance = 0;
        }
    }

    static int ask(int n) {
        asked += n;
        return n > 3 ? 1 : 0;
    }

    static int getAsked() {
        return asked;
    }

    static void sort(int[] a) {
        for (int i = 1; i < a.length; i++) {
            for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
                int last = a[j];
                a[j] = a[j - 1];
                a[j - 1] = last;
            }
        }
    }

    static void upper(String[] words) {
        for (int i = 0; i < words.length; i++) {
            if (words[i] != null) {
                words[i] = words[i].toUpperCase();
            }
        }
    }

    static boolean fill(Integer[] boxes, int v) {
        if (boxes.length > 1) {
            boxes[1] = v;
            return true;
        }
        return false;
    }
}
